'use client'
import { ShownLink } from '../people/shown-link'

/** Shown this once. */
export function ShownBackupCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  return (
    <ShownLink link={codes.join('\n')} onDone={onDone}>
      Keep these backup codes where you find them without your phone. Each stands for one code, once. They are shown
      only now.
    </ShownLink>
  )
}
