'use client'
import { type OwnChannel, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import Link from 'next/link'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useMay } from '../../live/use-me'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { Switch } from '../../ui/forms/switch'
import { Confirm } from '../../ui/overlays/late-confirm'
import { lateDialog } from '../../ui/overlays/late-dialog'
import { StatusBadge } from '../../ui/status-badge'
import { PlainText } from '../../ui/text/plain-text'
import { agoWords, timeLeft } from '../../ui/text/time'
import { stateWords } from '../channels/channel-words'
import { telegram, useOwnChannel, useReread } from '../channels/use-channel'
import type { ChatDialogProps } from './chat-dialogs'
import { useFactors } from './use-factors'

const LinkChat = lateDialog<ChatDialogProps>(() => import('./chat-dialogs').then((module) => module.LinkChat))
const AllowApprovals = lateDialog<ChatDialogProps>(() =>
  import('./chat-dialogs').then((module) => module.AllowApprovals),
)

/** A person's own chat in Telegram. */
export function Chat() {
  const own = useOwnChannel()
  const { factors } = useFactors()
  const [linking, setLinking] = useState(false)
  if (own.error) return <ErrorNotice error={toCodedError(own.error).toBody()} />
  if (!own.data) return null
  const { bot, link, state } = own.data
  const { tone, label, means } = stateWords[state]
  if (!bot) return <NoBot />
  return (
    <div className="space-y-3 text-sm" data-testid="chat">
      <p className="text-ink-2">
        From Telegram you can choose and start sessions, send prompts and read the answers. What passes through a chat
        is stored by Telegram too.
      </p>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="[overflow-wrap:anywhere]">
          <PlainText>{`@${bot.name}`}</PlainText>
        </span>
        <StatusBadge tone={tone} label={label} />
      </p>
      {means ? <p className="text-ink-2">{means}</p> : null}
      {link ? <Linked link={link} /> : null}
      <Button disabled={!factors} onClick={() => setLinking(true)}>
        {link ? 'Link another chat' : 'Link a chat'}
      </Button>
      {linking ? <LinkChat withCode={factors?.totp === true} onClose={() => setLinking(false)} /> : null}
    </div>
  )
}

function NoBot() {
  const runsHub = useMay('hub.manage')
  return (
    <p className="text-ink-2 text-sm">
      Telegram is not set up on this hub.{' '}
      {runsHub ? (
        <Link href="/agents" className="text-accent underline underline-offset-4">
          Set it up on the Machines page.
        </Link>
      ) : (
        'Owners and admins can do it.'
      )}
    </p>
  )
}

function Linked({ link }: { link: NonNullable<OwnChannel['link']> }) {
  const { rest } = useHub()
  const now = useNow()
  const reread = useReread()
  const { factors } = useFactors()
  const mayDecide = useMay('permission.decide')
  const [opened, setOpened] = useState<'approvals' | 'unlink' | null>(null)
  const close = () => setOpened(null)
  const end = useMutation({
    mutationFn: () => rest.call('endApprovals', { id: telegram }),
    onSettled: reread,
  })
  const unlink = useMutation({
    mutationFn: () => rest.call('removeOwnChannel', { id: telegram }),
    onSuccess: close,
    onSettled: reread,
  })
  const { name, linkedAt, expiresAt, approvals } = link
  return (
    <div className="space-y-3 rounded-lg border border-line bg-surface px-4 py-3" data-testid="linked-chat">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 basis-32 [overflow-wrap:anywhere]">
          <PlainText>{name}</PlainText>
        </span>
        <span className="text-ink-3 text-xs tabular-nums">
          linked {agoWords(linkedAt, now)}, {timeLeft(expiresAt - now)}
        </span>
        <Button size="sm" onClick={() => setOpened('unlink')}>
          Unlink
        </Button>
      </div>
      {mayDecide || approvals ? (
        <>
          <Switch on={approvals} onToggle={(on) => (on ? setOpened('approvals') : end.mutate())}>
            Decide permission requests in this chat
          </Switch>
          <p className="text-ink-2 text-xs">
            The chat gets Allow and Deny for actions that it can show whole. Questions, plans and changes of files are
            decided on the page. Your rights are read at each press, and the audit log names you and Telegram.
          </p>
        </>
      ) : null}
      {end.error ? <ErrorNotice error={toCodedError(end.error).toBody()} /> : null}
      {opened === 'approvals' ? <AllowApprovals withCode={factors?.totp === true} onClose={close} /> : null}
      <Confirm
        open={opened === 'unlink'}
        onClose={close}
        title="Unlink this chat?"
        action="Unlink"
        busy={unlink.isPending}
        error={unlink.error ? toCodedError(unlink.error).toBody() : null}
        onConfirm={() => unlink.mutate()}
      >
        It gets nothing more and can do nothing. What Telegram has stored stays there.
      </Confirm>
    </div>
  )
}
