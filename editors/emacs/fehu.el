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
  (define-derived-mode futhark-mode prog-mode "Futhark"
    "Futhark programs."
    (setq-local comment-start "-- ")
    (setq-local comment-end "")
    (setq-local font-lock-defaults
                `(((,(regexp-opt fehu-keywords 'symbols) . font-lock-keyword-face)
                   (,(regexp-opt '("true" "false") 'symbols) . font-lock-constant-face)
                   ("\\_<\\([iu]\\(8\\|16\\|32\\|64\\)\\|f\\(16\\|32\\|64\\)\\|bool\\)\\_>"
                    . font-lock-type-face)))))
  (add-to-list 'auto-mode-alist '("\\.fut\\'" . futhark-mode)))

(add-to-list 'eglot-server-programs
             `(futhark-mode . ,(lambda (&rest _) fehu-command)))

(add-hook 'futhark-mode-hook #'eglot-ensure)

(provide 'fehu)
;;; fehu.el ends here
