'use client'
import { toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { Confirm } from '../../ui/overlays/late-confirm'
import { lateDialog } from '../../ui/overlays/late-dialog'
import { Section } from '../../ui/page'
import { StatusBadge } from '../../ui/status-badge'
import { PlainText } from '../../ui/text/plain-text'
import type { BotDialogProps } from './bot-dialog'
import { stateWords } from './channel-words'
import { telegram, useChannelBot, useReread } from './use-channel'

const BotDialog = lateDialog<BotDialogProps>(() => import('./bot-dialog').then((module) => module.BotDialog))

/** The hub's bot in Telegram, for those who manage the hub. */
export function ChannelBot() {
  const { rest } = useHub()
  const channel = useChannelBot()
  const reread = useReread()
  const [opened, setOpened] = useState<'token' | 'remove' | null>(null)
  const close = () => setOpened(null)
  const remove = useMutation({
    mutationFn: () => rest.call('removeChannelBot', { id: telegram }),
    onSuccess: close,
    onSettled: reread,
  })
  if (channel.error) return <ErrorNotice error={toCodedError(channel.error).toBody()} />
  if (!channel.data) return null
  const { bot, state, links } = channel.data
  const { tone, label, means } = stateWords[state]
  return (
    <Section title="Chat">
      <div className="space-y-3 text-sm" data-testid="chat-bot">
        <p className="text-ink-2">
          People can use this hub from Telegram, each after linking a chat on their account page.
          {bot ? '' : ' It needs a bot, which you create with @BotFather in Telegram.'}
        </p>
        {bot ? (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="[overflow-wrap:anywhere]">
              <PlainText>{`@${bot.name}`}</PlainText>
            </span>
            <StatusBadge tone={tone} label={label} />
            <span className="text-ink-3 text-xs">{links === 1 ? '1 linked chat' : `${links} linked chats`}</span>
          </p>
        ) : null}
        {bot && means ? <p className="text-ink-2">{means}</p> : null}
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setOpened('token')}>{bot ? 'Set another token' : 'Set up Telegram'}</Button>
          {bot ? (
            <Button look="danger" onClick={() => setOpened('remove')}>
              Remove bot
            </Button>
          ) : null}
        </div>
      </div>
      {opened === 'token' ? <BotDialog onClose={close} /> : null}
      <Confirm
        open={opened === 'remove'}
        onClose={close}
        title="Remove the bot?"
        action="Remove bot"
        busy={remove.isPending}
        error={remove.error ? toCodedError(remove.error).toBody() : null}
        onConfirm={() => remove.mutate()}
      >
        All linked chats are disconnected. People can link them again when there is a bot.
      </Confirm>
    </Section>
  )
}
