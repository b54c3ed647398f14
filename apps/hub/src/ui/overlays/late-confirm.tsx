'use client'
import type { ConfirmProps } from './confirm'
import { lateDialog } from './late-dialog'

const LateConfirm = lateDialog<ConfirmProps>(() => import('./confirm').then((module) => module.Confirm))

/** Asks for confirmation before an action that cannot be undone. Its code loads at the first use. */
export function Confirm({ open, ...props }: ConfirmProps & { open: boolean }) {
  return open ? <LateConfirm {...props} /> : null
}
