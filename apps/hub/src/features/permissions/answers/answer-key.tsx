/** The key's letter stands there only where the key works. */
export function AnswerKey({ on, children }: { on: boolean; children: string }) {
  if (!on) return null
  return (
    <kbd
      aria-hidden
      className="hidden rounded border border-current/20 px-1 font-mono text-[10px] opacity-70 pointer-fine:inline"
    >
      {children}
    </kbd>
  )
}
