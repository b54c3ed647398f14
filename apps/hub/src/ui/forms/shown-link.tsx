'use client'
import { Button } from './button'
import { CopyButton } from './copy-button'

interface ShownLinkProps {
  link: string
  onDone: () => void
  children: string
}

/** Shows a secret once. */
export function ShownLink({ link, onDone, children }: ShownLinkProps) {
  return (
    <div className="space-y-4">
      <p className="text-ink-2 text-sm">{children}</p>
      <div className="rounded-md border border-line bg-sunken">
        <pre data-testid="shown-once" className="whitespace-pre-wrap break-all p-3 font-mono text-xs">
          {link}
        </pre>
        <div className="flex justify-end border-line border-t p-2">
          <CopyButton text={link} />
        </div>
      </div>
      <div className="flex justify-end">
        <Button onClick={onDone}>Done</Button>
      </div>
    </div>
  )
}
