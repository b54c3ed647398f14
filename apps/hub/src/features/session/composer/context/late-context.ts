'use client'
import { lateDialog } from '../../../../ui/overlays/late-dialog'
import type { ContextDialogProps } from './context-dialog'

/** Its code loads when somebody opens it. */
export const LateContextDialog = lateDialog<ContextDialogProps>(() =>
  import('./context-dialog').then((module) => module.ContextDialog),
)
