/** Webhooks of people, over REST. */
import type { webhookRoutes } from '@roundhouse/backend-types'
import type { PeopleServices } from '../../core'
import type { Handlers } from './handlers'

export function webhookHandlers({ webhooks }: Pick<PeopleServices, 'webhooks'>): Handlers<keyof typeof webhookRoutes> {
  return {
    listWebhooks: ({ actor }) => webhooks.list(actor),
    createWebhook: ({ actor, body, key }) => webhooks.make(actor, body, key),
    getWebhook: ({ actor, id }) => webhooks.get(actor, id.webhookId),
    changeWebhook: ({ actor, id, body }) => webhooks.change(actor, id.webhookId, body),
    removeWebhook: ({ actor, id, key }) => webhooks.remove(actor, id.webhookId, key),
    rotateWebhookSecret: ({ actor, id, key }) => webhooks.rotate(actor, id.webhookId, key),
    testWebhook: ({ actor, id, key }) => webhooks.test(actor, id.webhookId, key),
    listDeliveries: ({ actor, id, query }) => webhooks.deliveries(actor, id.webhookId, query),
    redeliver: ({ actor, id, key }) => webhooks.redeliver(actor, id, key),
    listAllWebhooks: ({ actor }) => webhooks.all(actor),
    removeAnyWebhook: ({ actor, id, key }) => webhooks.removeAny(actor, id.webhookId, key),
  }
}
