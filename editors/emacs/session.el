;;; session.el --- A session with eglot, without a screen  -*- lexical-binding: t; -*-

;; FEHU=target/debug/fehu emacs --batch -l package -f package-initialize -l editors/emacs/session.el
;; Prints what came back; the exit code is 0 if every step gave what it should.

(defun session-expect (what fine got)
  (princ (format "%s: %s: %s\n" (if fine "ok" "WRONG") what got))
  (unless fine (kill-emacs 1)))

(defun session-wait (test)
  (with-timeout (30 nil)
    (while (not (funcall test)) (accept-process-output nil 0.05))
    t))

(let* ((here (file-name-directory load-file-name))
       (folder (make-temp-file "futhark é " t))
       (file (expand-file-name "schön.fut" folder)))
  (add-to-list 'load-path here)
  (require 'fehu)
  (setq fehu-command (list (or (getenv "FEHU") "fehu") "lsp"))
  (setq eglot-sync-connect t eglot-send-changes-idle-time 0)
  (with-temp-file file
    (insert "-- | Twice as much.\ndef twice (x: i32)=x+x\n\ndef main (y: i32) =\n  twice wrong\n"))
  (find-file file)
  (apply #'eglot (eglot--guess-contact))
  (session-expect "connected" (eglot-managed-p) (plist-get (eglot--capabilities (eglot-current-server)) :positionEncoding))
  (session-wait (lambda () (flymake-start) (flymake-diagnostics)))
  (session-expect "a diagnostic" (flymake-diagnostics)
                  (mapconcat #'flymake-diagnostic-text (flymake-diagnostics) "; "))
  (goto-char (point-min))
  (search-forward "wrong")
  (replace-match "y")
  (eglot--signal-textDocument/didChange)
  (goto-char (point-min))
  (search-forward "  tw")
  (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover
                                (eglot--TextDocumentPositionParams))))
    (session-expect "hover" hover (plist-get (plist-get hover :contents) :value)))
  (eglot-rename "double")
  (eglot-format-buffer)
  (session-expect "rename and format" (string-match-p "def double (x: i32) = x \\+ x" (buffer-string))
                  (buffer-string))
  (set-buffer-modified-p nil)
  (eglot-shutdown (eglot-current-server))
  (delete-directory folder t)
  (session-expect "the end" t "shut down"))
