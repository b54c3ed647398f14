/** Shows the key's letter only while the key works. */
export function KeyHint({ on, children }: { on: boolean; children: string }) {
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
