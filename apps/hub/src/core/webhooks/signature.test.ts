import { describe, expect, it } from 'vitest'
import { deliveryIdOf, messageBody, pingBody, typeOf } from './payload'
import { newSigningSecret, signedHeaders } from './signature'

describe('[HOOK-2.1] the signature', () => {
  it('is the one of the examples that Standard Webhooks publishes', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const signed = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' }
    expect(signedHeaders(signed, [secret])).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('has one for each secret, with a space between, the newest first', () => {
    const [a, b] = [newSigningSecret(), newSigningSecret()]
    const of = (...secrets: string[]) =>
      signedHeaders({ id: 'msg_1', timestamp: 1, body: '{}' }, secrets)['webhook-signature']
    expect(of(a, b)).toBe(`${of(a)} ${of(b)}`)
    expect(of(a)).not.toBe(of(b))
  })

  it('has a secret of 32 random bytes in base64 after `whsec_`', () => {
    const secrets = Array.from({ length: 50 }, newSigningSecret)
    expect(new Set(secrets).size).toBe(50)
    for (const secret of secrets) expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32)
  })
})

describe('[HOOK-2.2] what is sent', () => {
  it('has a type without the names in the topic, the time of the message, and the message itself', () => {
    const message = { topic: 'worker.ses_1.event', ts_server: '2026-04-27T12:00:00.123Z', offset: 7 }
    expect(JSON.parse(messageBody(message as never))).toEqual({
      type: 'worker.event',
      timestamp: '2026-04-27T12:00:00.123Z',
      data: message,
    })
    expect(JSON.parse(pingBody({ webhookId: 'whk_1', createdAt: 0 }))).toEqual({
      type: 'ping',
      timestamp: '1970-01-01T00:00:00.000Z',
      data: { webhook_id: 'whk_1' },
    })
  })

  it.each([
    ['worker.ses_1.event', 'worker.event'],
    ['cmd.ses_1.set_phase', 'cmd.set_phase'],
    ['cmd.role.worker', 'cmd.role'],
    ['task.t1.step.done', 'task.step.done'],
    ['system.turn.completed', 'system.turn.completed'],
  ])('of %s is a %s', (topic, type) => {
    expect(typeOf(topic)).toBe(type)
  })

  it('has an id of the webhook and the message, without a dot, that fits an id of the hub', () => {
    const message = { fromPeer: 'p_1', messageId: 'm-1' }
    const id = deliveryIdOf('whk_1', message)
    expect(id).toMatch(/^msg_[0-9a-f]{40}$/)
    expect(deliveryIdOf('whk_1', { ...message })).toBe(id)
    expect(deliveryIdOf('whk_2', message)).not.toBe(id)
    expect(deliveryIdOf('whk_1', { ...message, messageId: 'm-2' })).not.toBe(id)
  })
})
