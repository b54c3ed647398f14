/** Shows the key's letter only while the key works: not while a text field has the focus (globals.css). */
export function KeyHint({ on, children }: { on: boolean; children: string }) {
  if (!on) return null
  return (
    <kbd
      aria-hidden
      data-key-hint
      className="hidden rounded border border-current/20 px-1 font-mono text-[10px] opacity-70 pointer-fine:inline"
    >
      {children}
    </kbd>
  )
}

/** From an empty composer, Escape leads to the question, where the keys work. Shown while the composer has the focus. */
export function EscapeHint({ on }: { on: boolean }) {
  if (!on) return null
  return (
    <p data-escape-hint className="text-ink-3">
      <kbd className="rounded border border-current/20 px-1 font-mono text-[10px]">Esc</kbd> to decide by key
    </p>
  )
}
