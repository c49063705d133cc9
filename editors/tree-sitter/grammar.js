// The syntax of Futhark for editors, which read programs while they are being written.
//
// It follows the compiler's own parser (crates/syntax/src/parser): what that accepts has no error here, but for
// sections such as `(a + b *)`, whose operator binds more tightly than that of its operand. How tightly operators bind
// is decided by what they begin with, so each level has an expression for its operators.

// From the loosest to the tightest.
const PREC = {
  open: 0, // what extends as far as it can: if, let, loop, match, lambdas
  ascription: 1,
  range: 2,
  backquoted: 3,
  update: 4,
  pipe_right: 5,
  pipe_left: 6,
  or: 7,
  and: 8,
  compare: 9,
  bits: 10,
  shift: 11,
  sum: 12,
  product: 13,
  power: 14,
  prefix: 15,
  apply: 16,
  access: 17,
};

// What operators are made of, without some of the characters in second place.
const escape = c => ('^|*+.'.includes(c) ? '\\' + c : c);
const symbols = without => {
  const others = [...'+*/%=!><|&^.'].filter(c => !without.includes(c)).map(escape).join('');
  return '[' + others + (without.includes('-') ? ']' : '\\-]');
};
const ANY = symbols('');

// The operators of each level; a single character that has another role, too, is a word of its own.
const OPERATORS = {
  pipe_right: `\\|>${ANY}*`,
  pipe_left: `<\\|${ANY}*`,
  or: `\\|\\|${ANY}*`,
  and: `&&${ANY}*`,
  compare: `<${symbols('<|')}${ANY}*|>|>${symbols('>')}${ANY}*|=${ANY}+|!${ANY}+`,
  bits: `&|&${symbols('&')}${ANY}*|\\^${ANY}+|\\|${symbols('|>')}${ANY}*`,
  shift: `<<${ANY}*|>>${ANY}*`,
  sum: `\\+${ANY}*|-${symbols('->')}${ANY}*|->${ANY}+`,
  product: `[/%]${ANY}*|\\*${symbols('*')}${ANY}*`,
  power: `\\*\\*${ANY}*`,
};

// Words that are operators, besides.
const WORDS = { compare: ['<'], bits: ['|', '^'], sum: ['-'], product: ['*'] };

const LEFT = Object.keys(OPERATORS).filter(level => level !== 'pipe_left');

const NAME = "[\\p{L}_][\\p{L}\\p{N}_']*";
const FLOAT_TYPE = '(f16|f32|f64)';
const INT_TYPE = '(i8|i16|i32|i64|u8|u16|u32|u64)';

const commas = rule => optional(seq(rule, repeat(seq(',', rule)), optional(',')));
const commas1 = rule => seq(rule, repeat(seq(',', rule)), optional(','));

const operators = {};
for (const level of Object.keys(OPERATORS)) {
  const qualified = `(${NAME}\\.)+(${OPERATORS[level]}${(WORDS[level] || []).map(w => '|' + escape(w)).join('')})`;
  operators['_' + level] = $ =>
    choice(
      token(new RegExp(OPERATORS[level], 'u')),
      token(new RegExp(qualified, 'u')),
      ...(WORDS[level] || []),
    );
}

const levels = $ => Object.keys(OPERATORS).map(level => alias($['_' + level], $.operator));

module.exports = grammar({
  name: 'futhark',

  extras: $ => [/\s/, $.comment],

  word: $ => $.identifier,

  supertypes: $ => [$._expression, $._declaration, $._type, $._pattern],

  conflicts: $ => [[$._pattern_atom, $._definition_name]],

  rules: {
    source_file: $ => repeat($._declaration),

    comment: _ => token(/--[^\n]*/),

    identifier: _ => new RegExp(NAME, 'u'),

    // Declarations.

    _declaration: $ =>
      choice(
        $.value_declaration,
        $.type_declaration,
        $.module_declaration,
        $.module_type_declaration,
        $.open_declaration,
        $.import_declaration,
        $.local_declaration,
      ),

    local_declaration: $ => seq(repeat($.attribute), 'local', $._declaration),

    value_declaration: $ =>
      seq(
        repeat($.attribute),
        choice('def', 'let', 'entry'),
        choice(
          seq(
            field('name', $._definition_name),
            repeat($._type_parameter),
            repeat(field('parameter', $._pattern_atom)),
          ),
          seq(
            field('parameter', $._pattern_atom),
            field('name', choice($.operator, $.backquoted)),
            field('parameter', $._pattern_atom),
          ),
        ),
        optional(seq(':', field('type', $._type))),
        '=',
        field('body', $._expression),
      ),

    _definition_name: $ => choice($.identifier, $.operator_name),

    // `(+)`, and a backquoted name in parentheses.
    operator_name: $ => seq('(', choice($.operator, $.backquoted), ')'),

    type_declaration: $ =>
      seq(
        repeat($.attribute),
        'type',
        optional(choice('^', '~')),
        field('name', $.identifier),
        repeat($._type_parameter),
        '=',
        field('type', $._type),
      ),

    module_declaration: $ =>
      seq(
        repeat($.attribute),
        'module',
        field('name', $.identifier),
        repeat($.module_parameter),
        optional(seq(':', field('type', $._module_type))),
        '=',
        field('body', $._module),
      ),

    module_type_declaration: $ =>
      seq(repeat($.attribute), 'module', 'type', field('name', $.identifier), '=', field('type', $._module_type)),

    open_declaration: $ => seq(repeat($.attribute), 'open', $._module),

    import_declaration: $ => seq(repeat($.attribute), 'import', field('path', $.string)),

    attribute: $ => seq('#[', $._attribute, ']'),

    _attribute: $ =>
      choice($.identifier, $.integer, seq($.identifier, '(', commas($._attribute), ')')),

    // Modules.

    _module: $ => choice($._applied_module, $.module_ascription),

    module_ascription: $ => prec.left(seq($._module, ':', $._module_type)),

    _applied_module: $ => choice($._module_atom, $.module_application, $.module_lambda, $.module_import),

    module_application: $ => prec.left(seq(choice($._module_atom, $.module_application), $._module_atom)),

    _module_atom: $ => choice($.qualified_name, $.module_parens, $.module_body),

    module_parens: $ => seq('(', $._module, ')'),

    module_body: $ => seq('{', repeat($._declaration), '}'),

    module_import: $ => seq('import', field('path', $.string)),

    module_lambda: $ =>
      seq('\\', $.module_parameter, optional(seq(':', $._refined_module_type)), '->', $._applied_module),

    module_parameter: $ => seq('(', field('name', $.identifier), ':', field('type', $._module_type), ')'),

    _module_type: $ => choice($._refined_module_type, $.module_type_arrow),

    module_type_arrow: $ =>
      prec.right(seq(choice($.module_parameter, $._refined_module_type), '->', $._module_type)),

    _refined_module_type: $ =>
      choice($.qualified_name, $.module_type_parens, $.module_type_body, $.module_type_with),

    module_type_parens: $ => seq('(', $._module_type, ')'),

    module_type_with: $ =>
      prec.left(
        seq($._refined_module_type, 'with', field('name', $.qualified_name), repeat($._type_parameter), '=', $._type),
      ),

    module_type_body: $ => seq('{', repeat($._specification), '}'),

    _specification: $ => choice($.value_specification, $.type_specification, $.module_specification, $.include),

    value_specification: $ =>
      seq(
        repeat($.attribute),
        'val',
        field('name', choice($.identifier, $.operator_name, $.operator, $.backquoted)),
        repeat($._type_parameter),
        ':',
        field('type', $._type),
      ),

    type_specification: $ =>
      seq(
        repeat($.attribute),
        'type',
        optional(choice('^', '~')),
        field('name', $.identifier),
        repeat($._type_parameter),
        optional(seq('=', field('type', $._type))),
      ),

    module_specification: $ =>
      seq(repeat($.attribute), 'module', field('name', $.identifier), ':', field('type', $._module_type)),

    include: $ => seq(repeat($.attribute), 'include', $._module_type),

    // Types.

    _type: $ => prec.right(choice($._type_operand, $.function_type, $.existential_type)),

    existential_type: $ => prec.right(seq('?', repeat1($.size_parameter), '.', $._type)),

    function_type: $ =>
      prec.right(seq(field('parameter', choice($.named_parameter, $._type_operand)), '->', $._type)),

    named_parameter: $ => seq('(', field('name', $.identifier), ':', $._type, ')'),

    _type_operand: $ => choice($.unique_type, $.array_type, $.sum_type, $._applied_type),

    unique_type: $ => seq('*', $._type_operand),

    array_type: $ => seq($.size, $._type_operand),

    size: $ => seq('[', optional($._expression), ']'),

    sum_type: $ => prec.right(seq($.constructor_type, repeat(seq('|', $.constructor_type)))),

    constructor_type: $ =>
      prec.right(seq($.constructor, repeat(choice($._type_atom, alias($.payload_array, $.array_type))))),

    payload_array: $ => seq($.size, $._type_operand),

    _applied_type: $ => prec.right(choice($._type_atom, $.type_application)),

    type_application: $ => prec.right(seq($._type_atom, repeat1(choice($._type_atom, $.size)))),

    _type_atom: $ => choice(alias($.qualified_name, $.type_name), $.tuple_type, $.record_type),

    tuple_type: $ => seq('(', commas($._type), ')'),

    record_type: $ => seq('{', commas($.field_type), '}'),

    field_type: $ => seq(field('name', $._field_name), ':', $._type),

    qualified_name: $ => prec.right(seq($.identifier, repeat(seq('.', $.identifier)))),

    _type_parameter: $ => choice($.size_parameter, $.type_parameter),

    size_parameter: $ => seq('[', $.identifier, ']'),

    type_parameter: $ => seq(choice("'", "'~", "'^"), $.identifier),

    // Patterns.

    _pattern: $ => choice($._plain_pattern, $.pattern_ascription),

    pattern_ascription: $ => prec.left(PREC.ascription, seq($._pattern, ':', $._type)),

    _plain_pattern: $ => choice($._pattern_atom, $.constructor_pattern, $.attribute_pattern),

    attribute_pattern: $ => seq($.attribute, $._pattern),

    constructor_pattern: $ => prec.right(seq($.constructor, repeat1($._pattern_atom))),

    _pattern_atom: $ =>
      choice(
        alias($.identifier, $.binding),
        alias($.operator_name, $.binding),
        $.wildcard,
        $.constructor,
        $.tuple_pattern,
        $.record_pattern,
        $._literal,
        $.negative_literal,
      ),

    wildcard: _ => '_',

    negative_literal: $ => seq('-', choice($.integer, $.float)),

    tuple_pattern: $ => seq('(', commas($._pattern), ')'),

    record_pattern: $ => seq('{', commas($.field_pattern), '}'),

    field_pattern: $ =>
      seq(field('name', $._field_name), optional(choice(seq('=', $._pattern), seq(':', $._type)))),

    // Before the arrow of a case, a type has none of its own.
    case_pattern: $ => seq($._plain_pattern, repeat(seq(':', $._type_operand))),

    // Expressions.

    _expression: $ => choice($._unascribed, $.ascription),

    ascription: $ => prec.left(PREC.ascription, seq($._expression, choice(':', ':>'), $._type)),

    _unascribed: $ => choice($.range, $._operand),

    _operand: $ => choice($.binary, $.update, $.unary, $.application, $._atom, $._keyword_form),

    range: $ =>
      prec.left(
        PREC.range,
        seq(
          $._operand,
          optional(seq('..', $._operand)),
          choice('...', '..<', '..>'),
          $._operand,
        ),
      ),

    binary: $ =>
      choice(
        prec.left(PREC.backquoted, seq($._operand, field('operator', $.backquoted), $._operand)),
        ...LEFT.map(level =>
          prec.left(PREC[level], seq($._operand, field('operator', alias($['_' + level], $.operator)), $._operand)),
        ),
        prec.right(
          PREC.pipe_left,
          seq($._operand, field('operator', alias($._pipe_left, $.operator)), $._operand),
        ),
      ),

    ...operators,

    operator: $ => choice(...Object.keys(OPERATORS).map(level => $['_' + level])),

    backquoted: $ => seq('`', $.qualified_name, '`'),

    update: $ =>
      prec.left(PREC.update, seq($._operand, 'with', $.update_path, '=', field('value', $._operand))),

    update_path: $ => seq(choice($.indices, $._field_name), repeat(choice(seq('.', $._field_name), $.indices))),

    unary: $ => prec(PREC.prefix, seq(choice('-', '!'), choice($.unary, $.application, $._atom, $._keyword_form))),

    application: $ =>
      prec.right(
        PREC.apply,
        seq(
          field('function', $._atom),
          choice(
            seq(repeat1(field('argument', $._atom)), optional(field('argument', $._last_argument))),
            field('argument', $._last_argument),
          ),
        ),
      ),

    _last_argument: $ => choice($.lambda, $.if, $.loop, $.match),

    _keyword_form: $ => choice($.lambda, $.if, $.let, $.loop, $.match, $.assert, $.attributed),

    attributed: $ => prec.right(PREC.open, seq($.attribute, $._expression)),

    assert: $ => prec.right(PREC.open, seq('assert', field('condition', $._atom), $._expression)),

    lambda: $ =>
      prec.right(
        PREC.open,
        seq(
          '\\',
          repeat1(field('parameter', $._pattern_atom)),
          optional(seq(':', $._type_operand)),
          '->',
          field('body', $._expression),
        ),
      ),

    if: $ =>
      prec.right(
        PREC.open,
        seq(
          'if',
          field('condition', $._expression),
          'then',
          field('then', $._expression),
          'else',
          field('else', $._expression),
        ),
      ),

    let: $ =>
      prec.right(
        PREC.open,
        seq(
          'let',
          choice(
            seq(repeat($.size_parameter), field('pattern', $._pattern)),
            $.local_function,
            $.update_target,
          ),
          '=',
          field('value', $._expression),
          choice(seq('in', field('body', $._expression)), field('body', $.let)),
        ),
      ),

    local_function: $ =>
      seq(
        field('name', choice($.identifier, $.operator_name)),
        choice(
          seq(repeat1($._type_parameter), repeat(field('parameter', $._pattern_atom))),
          repeat1(field('parameter', $._pattern_atom)),
        ),
        optional(seq(':', $._type)),
      ),

    update_target: $ =>
      seq($.identifier, choice(seq('.', $._field_name), $.index), repeat(choice(seq('.', $._field_name), $.indices))),

    loop: $ =>
      prec.right(
        PREC.open,
        seq(
          'loop',
          repeat($.size_parameter),
          field('pattern', $._pattern),
          optional(seq('=', field('value', $._expression))),
          choice(seq('while', field('condition', $._expression)), seq('for', $.for_bound)),
          'do',
          field('body', $._expression),
        ),
      ),

    for_bound: $ =>
      choice(seq(field('name', $.identifier), '<', $._expression), seq($._pattern, 'in', $._expression)),

    match: $ => prec.right(PREC.open, seq('match', field('value', $._expression), repeat1($.case))),

    case: $ => prec.right(PREC.open, seq('case', field('pattern', $.case_pattern), '->', field('body', $._expression))),

    // Atoms.

    _atom: $ =>
      choice(
        $.identifier,
        $._literal,
        $.hole,
        $.constructor,
        $.parens,
        $.tuple,
        $.section,
        $.array,
        $.record,
        $.access,
        $.indexed,
        $.module_scope,
      ),

    access: $ => prec.left(PREC.access, seq($._atom, '.', field('field', $._field_name))),

    indexed: $ => prec.left(PREC.access, seq($._atom, $.index)),

    // `m.(e)`: e with the names of a module.
    module_scope: $ => prec.left(PREC.access, seq($._atom, '.', $.parens)),

    // An index stands directly behind what it is into; after a space it is an array.
    index: $ => seq(token.immediate('['), commas1($._index), ']'),

    indices: $ => seq(choice('[', token.immediate('[')), commas1($._index), ']'),

    _index: $ => choice($._unascribed, $.slice),

    slice: $ =>
      seq(
        optional($._unascribed),
        ':',
        optional($._unascribed),
        optional(seq(':', optional($._unascribed))),
      ),

    parens: $ => seq('(', $._expression, ')'),

    tuple: $ => seq('(', optional(seq($._expression, ',', commas1($._expression))), ')'),

    section: $ =>
      choice(
        seq('(', choice($.operator, $.backquoted), ')'),
        seq('(', $._operand, choice(...levels($), $.backquoted), ')'),
        prec.dynamic(-1, seq('(', choice($.operator, $.backquoted), $._unascribed, ')')),
        seq('(', '.', choice($._field_name, $.indices), repeat(choice(seq('.', $._field_name), $.indices)), ')'),
      ),

    array: $ => seq('[', commas($._expression), ']'),

    record: $ => seq('{', commas($.field), '}'),

    field: $ => choice(seq(field('name', $._field_name), '=', $._expression), alias($.identifier, $.shorthand)),

    // The second part of `t.0.1` looks like a number with a point.
    _field_name: $ =>
      choice(
        alias($.identifier, $.field_name),
        alias($.integer, $.field_name),
        alias($.float, $.field_name),
      ),

    hole: _ => '???',

    constructor: _ => new RegExp('#' + NAME, 'u'),

    _literal: $ => choice($.integer, $.float, $.character, $.string, $.boolean),

    boolean: _ => choice('true', 'false'),

    integer: _ =>
      token(
        choice(
          new RegExp(`[0-9][0-9_]*${INT_TYPE}?`),
          new RegExp(`0[xX][0-9a-fA-F][0-9a-fA-F_]*${INT_TYPE}?`),
          new RegExp(`0[bB][01][01_]*${INT_TYPE}?`),
          new RegExp(`0[rR][IVXLCDM]+${INT_TYPE}?`),
        ),
      ),

    float: _ =>
      token(
        choice(
          new RegExp(`[0-9][0-9_]*\\.[0-9][0-9_]*([eE][+-]?[0-9][0-9_]*)?${FLOAT_TYPE}?`),
          new RegExp(`[0-9][0-9_]*[eE][+-]?[0-9][0-9_]*${FLOAT_TYPE}?`),
          new RegExp(`[0-9][0-9_]*${FLOAT_TYPE}`),
          new RegExp(`0[xX][0-9a-fA-F][0-9a-fA-F_]*(\\.[0-9a-fA-F][0-9a-fA-F_]*)?[pP][+-]?[0-9][0-9_]*${FLOAT_TYPE}?`),
        ),
      ),

    character: _ => token(/'([^'\\\n]|\\([abfnrtv\\"'&]|x[0-9a-fA-F]+|o[0-7]+|[0-9]+))'/),

    string: _ => token(/"([^"\\]|\\[^\n])*"/),
  },
});
