'use client'
import type { ErrorBody } from '@roundhouse/backend-types'
import { Button } from '../forms/button'
import { ErrorNotice } from '../forms/notice'
import { Dialog } from './dialog'

export interface ConfirmProps {
  onClose: () => void
  title: string
  /** What it will do and what stays. */
  children: string
  action: string
  onConfirm: () => void
  busy: boolean
  error: ErrorBody | null
}

/** Asks once more before something that cannot be taken back. */
export function Confirm({ onClose, title, action, onConfirm, busy, error, children }: ConfirmProps) {
  return (
    <Dialog open onOpenChange={onClose} title={title} description={children}>
      {error ? <ErrorNotice className="mb-4" error={error} /> : null}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" disabled={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
