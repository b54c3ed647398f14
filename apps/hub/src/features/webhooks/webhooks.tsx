'use client'
import { toCodedError } from '@roundhouse/backend-types'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { lateDialog } from '../../ui/overlays/late-dialog'
import { webhooksKey } from './use-webhook'
import type { WebhookDialogProps } from './webhook-dialog'
import { WebhookRow } from './webhook-row'

const WebhookDialog = lateDialog<WebhookDialogProps>(() =>
  import('./webhook-dialog').then((module) => module.WebhookDialog),
)
/** What arrives, and what fails, shows while the page is open. */
const LOOK_MS = 5_000

/** A person's own webhooks. */
export function Webhooks() {
  const hub = useHub()
  const [adding, setAdding] = useState(false)
  const webhooks = useQuery({
    queryKey: webhooksKey,
    queryFn: () => hub.rest.call('listWebhooks'),
    refetchInterval: LOOK_MS,
  })
  const items = webhooks.data?.items ?? []
  return (
    <div className="space-y-3">
      <p className="text-ink-2 text-sm">
        The hub sends signed messages to an address of yours: a permission is asked, a turn has ended, a worker is
        blocked. You get what you may see, and nothing else.
      </p>
      {webhooks.error ? <ErrorNotice error={toCodedError(webhooks.error).toBody()} /> : null}
      {items.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {items.map((webhook) => (
            <WebhookRow key={webhook.webhookId} webhook={webhook} />
          ))}
        </ul>
      ) : null}
      <Button onClick={() => setAdding(true)}>Add webhook</Button>
      {adding ? <WebhookDialog onClose={() => setAdding(false)} /> : null}
    </div>
  )
}
