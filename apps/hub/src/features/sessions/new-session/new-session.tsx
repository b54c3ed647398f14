'use client'
import { SquarePen } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../../../live/use-me'
import { Button } from '../../../ui/forms/button'
import { lateDialog } from '../../../ui/overlays/late-dialog'
import type { LikeSession } from './like-session'
import type { NewSessionDialogProps } from './new-session-dialog'

const LateDialog = lateDialog<NewSessionDialogProps>(() =>
  import('./new-session-dialog').then((module) => module.NewSessionDialog),
)

interface NewSessionButtonProps {
  label?: string
  size?: 'sm' | 'md'
  like?: LikeSession
  disabled?: boolean
  onStarted?: () => void
}

export function NewSessionButton({
  label = 'New session',
  size = 'md',
  like,
  disabled,
  onStarted,
}: NewSessionButtonProps) {
  const [open, setOpen] = useState(false)
  if (!useMay('session.create', true)) return null
  return (
    <>
      <Button
        size={size}
        disabled={disabled}
        look={like ? 'soft' : 'solid'}
        onClick={() => setOpen(true)}
        icon={like ? undefined : <SquarePen className="size-4" aria-hidden />}
      >
        {label}
      </Button>
      <NewSessionDialog open={open} onClose={() => setOpen(false)} onStarted={onStarted} like={like} />
    </>
  )
}

interface OpenNewSession extends NewSessionDialogProps {
  open: boolean
}

/** The dialog for a new session. Its code loads with the first use. */
export function NewSessionDialog({ open, ...dialog }: OpenNewSession) {
  return open ? <LateDialog {...dialog} /> : null
}
