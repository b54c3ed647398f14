'use client'
import { type AnyWebhook, toCodedError } from '@roundhouse/backend-types'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { Confirm } from '../../ui/overlays/late-confirm'
import { Section } from '../../ui/page'
import { StatusBadge } from '../../ui/status-badge'
import { PlainText } from '../../ui/text/plain-text'
import { topicWords } from './webhook-words'

const key = ['all-webhooks'] as const

/** The webhooks of everybody, for those who manage people. Nothing while there are none. */
export function AllWebhooks() {
  const { rest } = useHub()
  const all = useQuery({ queryKey: key, queryFn: () => rest.call('listAllWebhooks') })
  const items = all.data?.items ?? []
  if (items.length === 0 && !all.error) return null
  return (
    <Section title="Webhooks" count={items.length}>
      {all.error ? <ErrorNotice error={toCodedError(all.error).toBody()} /> : null}
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {items.map((webhook) => (
          <Row key={webhook.webhookId} webhook={webhook} />
        ))}
      </ul>
    </Section>
  )
}

function Row({ webhook: { webhookId, ownerName, host, topics, enabled } }: { webhook: AnyWebhook }) {
  const { rest } = useHub()
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => rest.call('removeAnyWebhook', { id: { webhookId } }),
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  })
  return (
    <li className="flex items-center gap-x-3 px-4 py-2.5 text-sm" data-testid="any-webhook">
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        <p className="flex flex-wrap gap-x-2">
          <PlainText>{ownerName}</PlainText>
          <span className="font-mono text-ink-2 text-xs leading-5">
            <PlainText>{host}</PlainText>
          </span>
        </p>
        <p className="text-ink-3 text-xs">
          <PlainText>{topicWords(topics)}</PlainText>
        </p>
      </div>
      {enabled ? null : <StatusBadge tone="quiet" label="Off" />}
      <Button size="sm" onClick={() => setAsking(true)}>
        Remove
      </Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title="Remove this webhook?"
        action="Remove"
        busy={remove.isPending}
        error={remove.error ? toCodedError(remove.error).toBody() : null}
        onConfirm={() => remove.mutate()}
      >
        {`The hub sends nothing more to ${host}. The person who added this webhook can add it again.`}
      </Confirm>
    </li>
  )
}
