'use client'
import { ShownLink } from '../../ui/forms/shown-link'

/** Shows the codes once. */
export function ShownBackupCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  return (
    <ShownLink link={codes.join('\n')} onDone={onDone}>
      Save these backup codes somewhere you can reach without your phone. Each works once in place of a code. They are
      shown only now.
    </ShownLink>
  )
}
