;;; fehu.el --- Futhark with the language server of Fehu  -*- lexical-binding: t; -*-

;; Needs eglot: part of Emacs 29, a package before.  With this file in the load path:
;;   (require 'fehu)
;; If the package futhark-mode is installed, its mode is used; otherwise a small one from here.

;;; Code:

(require 'eglot)

(defgroup fehu nil "Futhark with Fehu." :group 'languages)

(defcustom fehu-command '("fehu" "lsp")
  "The language server."
  :type '(repeat string))

(unless (require 'futhark-mode nil t)
  (defvar futhark-mode-syntax-table
    (let ((table (make-syntax-table)))
      (modify-syntax-entry ?- ". 12" table)
      (modify-syntax-entry ?\n ">" table)
      (modify-syntax-entry ?_ "_" table)
      (modify-syntax-entry ?' "_" table)
      table))
  (defvar fehu-keywords
    '("if" "then" "else" "def" "let" "loop" "in" "val" "for" "do" "with" "local" "open" "include"
      "import" "type" "entry" "module" "while" "assert" "match" "case"))
  (defvar futhark-opens-regexp
    ".*\\(=\\|->\\|[[({]\\|\\_<\\(do\\|in\\|then\\|else\\)\\)[ \t]*$"
    "A line behind which lines are indented more.")
  (defun futhark-indent-line ()
    "Indent as the line before, and more behind a line that ends with what opens something."
    (interactive)
    (let ((column (save-excursion
                    (forward-line 0)
                    (if (re-search-backward "^[ \t]*[^ \t\n]" nil t)
                        (+ (current-indentation) (if (looking-at futhark-opens-regexp) 2 0))
                      0))))
      (if (<= (current-column) (current-indentation))
          (indent-line-to column)
        (save-excursion (indent-line-to column)))))
  (define-derived-mode futhark-mode prog-mode "Futhark"
    "Futhark programs."
    (setq-local indent-line-function #'futhark-indent-line)
    (setq-local indent-tabs-mode nil)
    (setq-local comment-start "-- ")
    (setq-local comment-end "")
    (setq-local font-lock-defaults
                `(((,(regexp-opt fehu-keywords 'symbols) . font-lock-keyword-face)
                   (,(regexp-opt '("true" "false") 'symbols) . font-lock-constant-face)
                   ("\\_<\\([iu]\\(8\\|16\\|32\\|64\\)\\|f\\(16\\|32\\|64\\)\\|bool\\)\\_>"
                    . font-lock-type-face)))))
  (add-to-list 'auto-mode-alist '("\\.fut\\'" . futhark-mode)))

;; Emacs 29 with the parser of editors/tree-sitter: the same mode, coloured by the tree.
(when (and (fboundp 'treesit-ready-p) (treesit-ready-p 'futhark t))
  (define-derived-mode futhark-ts-mode futhark-mode "Futhark"
    "Futhark programs, coloured by their trees."
    (treesit-parser-create 'futhark)
    (setq-local treesit-font-lock-feature-list
                '((comment definition) (keyword string type) (constant number) (function operator)))
    (setq-local treesit-font-lock-settings
                (treesit-font-lock-rules
                 :language 'futhark :feature 'comment '((comment) @font-lock-comment-face)
                 :language 'futhark :feature 'definition
                 '((value_declaration name: (identifier) @font-lock-function-name-face)
                   (local_function name: (identifier) @font-lock-function-name-face)
                   (type_declaration name: (identifier) @font-lock-type-face)
                   (module_declaration name: (identifier) @font-lock-constant-face)
                   (binding) @font-lock-variable-name-face)
                 :language 'futhark :feature 'keyword
                 '(["def" "let" "entry" "in" "val" "type" "module" "local" "open" "import" "include" "with" "do"
                    "if" "then" "else" "match" "case" "loop" "for" "while" "assert"] @font-lock-keyword-face)
                 :language 'futhark :feature 'string '([(string) (character)] @font-lock-string-face)
                 :language 'futhark :feature 'type '((type_name) @font-lock-type-face)
                 :language 'futhark :feature 'constant '([(boolean) (constructor)] @font-lock-constant-face)
                 :language 'futhark :feature 'number '([(integer) (float)] @font-lock-number-face)
                 :language 'futhark :feature 'function
                 '((application function: (identifier) @font-lock-function-call-face))
                 :language 'futhark :feature 'operator '((operator) @font-lock-operator-face)))
    (treesit-major-mode-setup))
  (add-to-list 'auto-mode-alist '("\\.fut\\'" . futhark-ts-mode)))

(add-to-list 'eglot-server-programs
             `(futhark-mode . ,(lambda (&rest _) fehu-command)))

(add-hook 'futhark-mode-hook #'eglot-ensure)

(provide 'fehu)
;;; fehu.el ends here
