'use client'
import { toCodedError, type WebhookView } from '@roundhouse/backend-types'
import { useState } from 'react'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { Confirm } from '../../ui/overlays/late-confirm'
import { lateDialog } from '../../ui/overlays/late-dialog'
import { StatusBadge } from '../../ui/status-badge'
import { PlainText } from '../../ui/text/plain-text'
import { agoWords } from '../../ui/text/time'
import type { DeliveriesDialogProps } from './deliveries-dialog'
import type { EditDialogProps } from './edit-dialog'
import type { SecretDialogProps } from './secret-dialog'
import { useWebhook } from './use-webhook'
import { statusOf, topicWords } from './webhook-words'

const DeliveriesDialog = lateDialog<DeliveriesDialogProps>(() =>
  import('./deliveries-dialog').then((module) => module.DeliveriesDialog),
)
const SecretDialog = lateDialog<SecretDialogProps>(() =>
  import('./secret-dialog').then((module) => module.SecretDialog),
)
const EditDialog = lateDialog<EditDialogProps>(() => import('./edit-dialog').then((module) => module.EditDialog))
type Opened = 'deliveries' | 'edit' | 'secret' | 'remove' | null

export function WebhookRow({ webhook }: { webhook: WebhookView }) {
  const now = useNow()
  const [opened, setOpened] = useState<Opened>(null)
  const { turn, test, remove } = useWebhook(webhook.webhookId)
  const { webhookId, url, topics, enabled, deliveredAt } = webhook
  const { tone, label, means } = statusOf(webhook)
  const refusal = turn.error ?? test.error
  const close = () => setOpened(null)
  return (
    <li className="space-y-2 px-4 py-3 text-sm" data-testid="webhook">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 basis-48 font-mono text-xs [overflow-wrap:anywhere]">
          <PlainText>{url}</PlainText>
        </span>
        <StatusBadge tone={tone} label={label} />
        {deliveredAt === null ? null : (
          <span className="text-ink-3 text-xs tabular-nums">delivered {agoWords(deliveredAt, now)}</span>
        )}
      </div>
      <p className="text-ink-2 text-xs [overflow-wrap:anywhere]">
        <PlainText>{topicWords(topics)}</PlainText>
      </p>
      {means ? <p className="text-ink-2 text-xs">{means}</p> : null}
      {refusal ? <ErrorNotice error={toCodedError(refusal).toBody()} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={() => setOpened('deliveries')}>
          Deliveries
        </Button>
        <Button size="sm" disabled={test.isPending} onClick={() => test.mutate()}>
          Send a test
        </Button>
        <Button size="sm" disabled={turn.isPending} onClick={() => turn.mutate(!enabled)}>
          {enabled ? 'Turn off' : 'Turn on'}
        </Button>
        <Button size="sm" onClick={() => setOpened('edit')}>
          Edit
        </Button>
        <Button size="sm" onClick={() => setOpened('secret')}>
          New secret
        </Button>
        <Button size="sm" onClick={() => setOpened('remove')}>
          Remove
        </Button>
      </div>
      {opened === 'deliveries' ? <DeliveriesDialog webhookId={webhookId} url={url} onClose={close} /> : null}
      {opened === 'edit' ? <EditDialog webhook={webhook} onClose={close} /> : null}
      {opened === 'secret' ? <SecretDialog webhookId={webhookId} onClose={close} /> : null}
      <Confirm
        open={opened === 'remove'}
        onClose={close}
        title="Remove this webhook?"
        action="Remove"
        busy={remove.isPending}
        error={remove.error ? toCodedError(remove.error).toBody() : null}
        onConfirm={() => remove.mutate()}
      >
        The hub sends nothing more to this address and forgets its deliveries.
      </Confirm>
    </li>
  )
}
