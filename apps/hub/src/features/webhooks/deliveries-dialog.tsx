'use client'
import { type DeliveryView, toCodedError } from '@roundhouse/backend-types'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/forms/button'
import { ErrorNotice, Loading } from '../../ui/forms/notice'
import { Dialog } from '../../ui/overlays/dialog'
import { StatusBadge } from '../../ui/status-badge'
import { PlainText } from '../../ui/text/plain-text'
import { agoWords, untilThen } from '../../ui/text/time'
import { SessionLink } from '../links/session-link'
import { deliveriesKey, useWebhook } from './use-webhook'
import { againWords, attemptsOf, failureOf, stateOf } from './webhook-words'

export interface DeliveriesDialogProps {
  webhookId: string
  url: string
  onClose: () => void
}

const AT_ONCE = 20
const LOOK_MS = 2_000

/** What was sent to one webhook, the newest first; each can be sent again. */
export function DeliveriesDialog({ webhookId, url, onClose }: DeliveriesDialogProps) {
  const { rest } = useHub()
  const { redeliver } = useWebhook(webhookId)
  const deliveries = useInfiniteQuery({
    queryKey: deliveriesKey(webhookId),
    queryFn: ({ pageParam }) =>
      rest.call('listDeliveries', {
        id: { webhookId },
        query: { limit: AT_ONCE, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: LOOK_MS,
  })
  const items = deliveries.data?.pages.flatMap((page) => page.items)
  const refusal = deliveries.error ?? redeliver.error
  return (
    <Dialog open onOpenChange={onClose} title="Deliveries" description={url}>
      {refusal ? <ErrorNotice className="mb-3" error={toCodedError(refusal).toBody()} /> : null}
      {!items ? (
        <Loading>Loading deliveries…</Loading>
      ) : items.length === 0 ? (
        <p className="text-ink-2 text-sm">Nothing was sent yet. “Send a test” sends a message of the type ping.</p>
      ) : (
        <ul className="divide-y divide-line">
          {items.map((delivery) => (
            <Delivery
              key={delivery.deliveryId}
              delivery={delivery}
              busy={redeliver.isPending}
              onAgain={() => redeliver.mutate(delivery.deliveryId)}
            />
          ))}
        </ul>
      )}
      {deliveries.hasNextPage ? (
        <Button
          size="sm"
          className="mt-3"
          disabled={deliveries.isFetchingNextPage}
          onClick={() => void deliveries.fetchNextPage()}
        >
          Show more
        </Button>
      ) : null}
    </Dialog>
  )
}

interface DeliveryProps {
  delivery: DeliveryView
  busy: boolean
  onAgain: () => void
}

function Delivery({ delivery, busy, onAgain }: DeliveryProps) {
  const now = useNow()
  const { kind, topic, sessionId, createdAt, nextAt, asked } = delivery
  const { tone, label } = stateOf(delivery)
  const failure = failureOf(delivery)
  const again = againWords(delivery)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5 text-sm" data-testid="delivery">
      <span className="min-w-0 flex-1 basis-40 [overflow-wrap:anywhere]">
        <PlainText>{kind === 'ping' ? 'Test' : (topic ?? 'A message that is gone')}</PlainText>
        {sessionId === null ? null : (
          <span className="block text-ink-2 text-xs">
            <SessionLink sessionId={sessionId} />
          </span>
        )}
      </span>
      <StatusBadge tone={tone} label={label} />
      {again ? (
        <Button size="sm" disabled={busy || asked} onClick={onAgain}>
          {again}
        </Button>
      ) : null}
      <span className="w-full text-ink-3 text-xs tabular-nums">
        {agoWords(createdAt, now)}, {attemptsOf(delivery)}
        {failure ? <>, {failure}</> : null}
        {nextAt !== null && nextAt > now ? <>, next attempt in {untilThen(nextAt - now)}</> : null}
      </span>
    </li>
  )
}
