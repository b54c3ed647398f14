import type { WebhookRequest } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'

export const webhooksKey = ['webhooks'] as const
/** When a page that asked for a test looks again. */
const SOON_MS = 1_000
export const deliveriesKey = (webhookId: string) => [...webhooksKey, webhookId, 'deliveries'] as const

/** What a person does with one of their webhooks. Each step reads the list anew. */
export function useWebhook(webhookId: string) {
  const { rest } = useHub()
  const queries = useQueryClient()
  const id = { webhookId }
  const onSettled = () => queries.invalidateQueries({ queryKey: webhooksKey })
  return {
    turn: useMutation({
      mutationFn: (enabled: boolean) => rest.call('changeWebhook', { id, body: { enabled } }),
      onSettled,
    }),
    edit: useMutation({
      mutationFn: (body: Pick<WebhookRequest, 'url' | 'topics'>) => rest.call('changeWebhook', { id, body }),
      onSettled,
    }),
    test: useMutation({
      mutationFn: () => rest.call('testWebhook', { id }),
      onSettled: async () => {
        await onSettled()
        // The test arrives after the answer.
        setTimeout(() => void onSettled(), SOON_MS)
      },
    }),
    remove: useMutation({ mutationFn: () => rest.call('removeWebhook', { id }), onSettled }),
    rotate: useMutation({ mutationFn: () => rest.call('rotateWebhookSecret', { id }), onSettled }),
    redeliver: useMutation({
      mutationFn: (deliveryId: string) => rest.call('redeliver', { id: { webhookId, deliveryId } }),
      onSettled,
    }),
  }
}
