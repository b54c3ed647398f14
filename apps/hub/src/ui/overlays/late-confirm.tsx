'use client'
import type { ConfirmProps } from './confirm'
import { lateDialog } from './late-dialog'

const LateConfirm = lateDialog<ConfirmProps>(() => import('./confirm').then((module) => module.Confirm))

/** Asks once more before something that cannot be taken back. Its code comes with the first use. */
export function Confirm({ open, ...props }: ConfirmProps & { open: boolean }) {
  return open ? <LateConfirm {...props} /> : null
}
