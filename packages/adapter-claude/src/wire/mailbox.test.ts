import { describe, expect, it } from 'vitest'
import { Mailbox } from './mailbox'

const output = { kind: 'assistant_text', text: 'hi' } as const

describe('Mailbox', () => {
  it('[LOG-4] delivers what came before the handlers, in the order it came, whatever the order of the handlers', async () => {
    const mailbox = new Mailbox()
    const seen: string[] = []
    mailbox.post('session', { backendSessionId: 's' })
    mailbox.post('output', output)
    mailbox.on('output', () => seen.push('output'))
    mailbox.on('session', () => seen.push('session'))
    expect(seen).toEqual([])
    await new Promise((resolve) => setImmediate(resolve))
    expect(seen).toEqual(['session', 'output'])
  })

  it('a prompt does not overtake what waits', () => {
    const mailbox = new Mailbox()
    const seen: string[] = []
    mailbox.on('session', () => seen.push('session'))
    mailbox.post('session', { backendSessionId: 's' })
    mailbox.open()
    mailbox.post('turn_started')
    expect(seen).toEqual(['session'])
  })

  it('afterwards delivers at once, and lets go what nobody listens to', () => {
    const mailbox = new Mailbox()
    mailbox.open()
    mailbox.post('output', output)
    const seen: string[] = []
    mailbox.on('output', () => seen.push('output'))
    mailbox.post('turn_started')
    mailbox.post('output', output)
    expect(seen).toEqual(['output'])
  })
})
