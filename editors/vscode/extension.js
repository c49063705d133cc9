// Futhark for VS Code: starts `fehu lsp` and connects the editor to it. What the server can do is in docs/commands.md.

const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

let client;

function command() {
  return vscode.workspace.getConfiguration('fehu').get('command') || 'fehu';
}

async function start() {
  const run = { command: command(), args: ['lsp'], transport: TransportKind.stdio };
  const documents = [{ scheme: 'file', language: 'futhark' }];
  client = new LanguageClient('fehu', 'Futhark (Fehu)', { run, debug: run }, { documentSelector: documents });
  try {
    await client.start();
  } catch (error) {
    const text = `Futhark: '${command()} lsp' could not be started: ${error.message || error}`;
    const choice = await vscode.window.showErrorMessage(text, 'Settings');
    if (choice) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'fehu.command');
    }
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old && old.isRunning()) {
    await old.stop();
  }
}

function runInTerminal(what) {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== 'futhark') {
    return;
  }
  const terminal = vscode.window.createTerminal('Futhark');
  terminal.show();
  // Programs read their arguments from the terminal.
  terminal.sendText(`${quoted(command())} ${what} ${quoted(editor.document.fileName)}`);
}

function task(definition) {
  const name = definition.task;
  const run = new vscode.ProcessExecution(command(), [name]);
  return new vscode.Task(definition, vscode.TaskScope.Workspace, name, 'fehu', run, '$fehu');
}

function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, `'\\''`)}'`;
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand('fehu.restart', async () => {
      await stop();
      await start();
    }),
    vscode.commands.registerCommand('fehu.runInTerminal', () => runInTerminal('run')),
    vscode.commands.registerCommand('fehu.test', () => runInTerminal('test')),
    // Tasks whose problems are shown where they are: `fehu check` and `fehu test` of the project.
    vscode.tasks.registerTaskProvider('fehu', {
      provideTasks: () => ['check', 'test'].map((name) => task({ type: 'fehu', task: name })),
      resolveTask: (known) => task(known.definition),
    }),
  );
  await start();
};

exports.deactivate = stop;
