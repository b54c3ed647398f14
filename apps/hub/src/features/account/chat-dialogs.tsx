'use client'
import { type ChannelCode, type OwnProof, toCodedError } from '@roundhouse/backend-types'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/forms/button'
import { ShownLink } from '../../ui/forms/shown-link'
import { Dialog } from '../../ui/overlays/dialog'
import { PlainText } from '../../ui/text/plain-text'
import { telegram, useOwnChannel, useReread } from '../channels/use-channel'
import { ProofDialog } from './proof-dialog'

export interface ChatDialogProps {
  withCode: boolean
  onClose: () => void
}

/** Shows a code after a proof, until a chat has used it. */
export function LinkChat({ withCode, onClose }: ChatDialogProps) {
  const { rest } = useHub()
  const link = useOwnChannel().data?.link
  const [made, setMade] = useState<(ChannelCode & { before: number | undefined }) | null>(null)
  const make = (proof: OwnProof) =>
    rest.call('createChannelCode', { id: telegram, body: proof }).then(
      (code) => {
        setMade({ ...code, before: link?.linkedAt })
        return null
      },
      (refusal) => toCodedError(refusal).toBody(),
    )
  if (made && link && link.linkedAt !== made.before) {
    return (
      <Dialog open onOpenChange={onClose} title="Chat linked">
        <p className="mb-4 text-ink-2 text-sm [overflow-wrap:anywhere]">
          <PlainText>{link.name}</PlainText> acts for you now. The code does not work again.
        </p>
        <div className="flex justify-end">
          <Button onClick={onClose}>Done</Button>
        </div>
      </Dialog>
    )
  }
  if (made) {
    return (
      <Dialog open onOpenChange={onClose} title="Link a chat">
        <p className="mb-4 text-sm">
          <a href={made.address} target="_blank" rel="noreferrer" className="text-accent underline underline-offset-4">
            Open Telegram and start the bot
          </a>
        </p>
        <ShownLink link={`/link ${made.code}`} onDone={onClose}>
          Or send this to the bot. The code works once, for ten minutes. Whoever sends it acts for you: give it to
          nobody.
        </ShownLink>
      </Dialog>
    )
  }
  return (
    <ProofDialog
      title="Link a chat"
      description="The chat will act for you. A chat that you linked before is disconnected."
      action="Create code"
      withCode={withCode}
      onProve={make}
      onClose={onClose}
    />
  )
}

export function AllowApprovals({ withCode, onClose }: ChatDialogProps) {
  const { rest } = useHub()
  const reread = useReread()
  const allow = (proof: OwnProof) =>
    rest.call('allowApprovals', { id: telegram, body: proof }).then(
      async () => {
        onClose()
        await reread()
        return null
      },
      (refusal) => toCodedError(refusal).toBody(),
    )
  return (
    <ProofDialog
      title="Decide permission requests in the chat?"
      description="Whoever has your phone, or your account in Telegram, can then allow actions in your name."
      action="Turn on"
      withCode={withCode}
      onProve={allow}
      onClose={onClose}
    />
  )
}
