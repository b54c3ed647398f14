'use client'
import { type AnyWebhook, toCodedError } from '@roundhouse/backend-types'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { Section } from '../../ui/page'
import { StatusBadge } from '../../ui/status-badge'
import { PlainText } from '../../ui/text/plain-text'

const key = ['all-webhooks'] as const

/** The webhooks of everybody, for those who manage people. Nothing while there are none. */
export function AllWebhooks() {
  const { rest } = useHub()
  const queries = useQueryClient()
  const all = useQuery({ queryKey: key, queryFn: () => rest.call('listAllWebhooks') })
  const remove = useMutation({
    mutationFn: (webhookId: string) => rest.call('removeAnyWebhook', { id: { webhookId } }),
    onSettled: () => queries.invalidateQueries({ queryKey: key }),
  })
  const items = all.data?.items ?? []
  const refusal = all.error ?? remove.error
  if (items.length === 0 && !refusal) return null
  return (
    <Section title="Webhooks" count={items.length}>
      {refusal ? <ErrorNotice error={toCodedError(refusal).toBody()} /> : null}
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {items.map((webhook) => (
          <Row
            key={webhook.webhookId}
            webhook={webhook}
            busy={remove.isPending}
            onRemove={() => remove.mutate(webhook.webhookId)}
          />
        ))}
      </ul>
    </Section>
  )
}

interface RowProps {
  webhook: AnyWebhook
  busy: boolean
  onRemove: () => void
}

function Row({ webhook: { ownerName, host, topics, enabled }, busy, onRemove }: RowProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-sm">
      <span className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
        <PlainText>{ownerName}</PlainText>{' '}
        <span className="text-ink-2">
          <PlainText>{host}</PlainText>
        </span>
      </span>
      <span className="text-ink-3 text-xs [overflow-wrap:anywhere]">
        <PlainText>{topics.join(', ')}</PlainText>
      </span>
      {enabled ? null : <StatusBadge tone="quiet" label="Off" />}
      <Button size="sm" className="ml-auto" disabled={busy} onClick={onRemove}>
        Remove
      </Button>
    </li>
  )
}
