import type { Capabilities } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { Relay } from '../report/relay'
import { type DrivenProcess, type Driver, defineAdapter } from './define-adapter'

const options = { sessionId: 's' }

/** An adapter whose processes do nothing but what is given here, beside noting their prompts. */
function adapter(abilities: Partial<DrivenProcess> = {}, driver: Partial<Driver> = {}) {
  const relay = new Relay()
  const prompts: string[] = []
  const process: DrivenProcess = {
    id: 'p',
    workDir: '/w',
    relay,
    kill: async () => {},
    isAlive: () => true,
    send: (input) => void prompts.push(input),
    ...abilities,
  }
  const made = defineAdapter({
    type: 'fourth',
    capabilities: { supportsMessageInjection: true, queries: ['q'] } as Capabilities,
    getManifest: () => Promise.reject(new Error('not asked')),
    start: async () => process,
    ...driver,
  })
  return { adapter: made, relay, prompts }
}

describe('defineAdapter', () => {
  it('gives what a process reports to the handlers of that process, before the prompt goes out', async () => {
    const { adapter: made, relay, prompts } = adapter()
    const process = await made.spawn(options)
    const seen: unknown[] = []
    relay.report({ type: 'exit', code: 1, info: { signal: null, stderrTail: '' } })
    made.onExit?.(process, (code, info) => seen.push({ code, info, prompts: [...prompts] }))
    made.send(process, 'hello')
    expect(seen).toEqual([{ code: 1, info: { signal: null, stderrTail: '' }, prompts: [] }])
    expect(prompts).toEqual(['hello'])
  })

  it('passes on to the process what is asked of it', async () => {
    const asked: unknown[] = []
    const note =
      (name: string) =>
      async (...args: unknown[]) =>
        void asked.push([name, ...args])
    const { adapter: made } = adapter({
      decide: note('decide'),
      interrupt: note('interrupt'),
      stopTask: note('stopTask'),
      pauseOutput: (paused) => void asked.push(['pauseOutput', paused]),
      steer: async () => true,
      configure: async () => ['mode'],
      query: async (method) => method,
    })
    const process = await made.spawn(options)
    await made.respondToPermission?.(process, { callId: 'c', decision: 'allow' })
    await made.interrupt?.(process)
    await made.stopTask?.(process, 't')
    made.pauseOutput?.(process, true)
    const decision = { callId: 'c', decision: 'allow' }
    expect(asked).toEqual([['decide', decision], ['interrupt'], ['stopTask', 't'], ['pauseOutput', true]])
    const answers = [made.steer?.(process, 'x'), made.configure?.(process, {}), made.query?.(process, 'q', {})]
    expect(await Promise.all(answers)).toEqual([true, ['mode'], 'q'])
  })

  it('has no steer where the program takes no text into a running turn', () => {
    const { adapter: made } = adapter({}, { capabilities: { supportsMessageInjection: false } as Capabilities })
    expect(made.steer).toBeUndefined()
  })

  it('answers for a process that can do less: no steer, a restart for each change, UNSUPPORTED', async () => {
    const { adapter: made } = adapter()
    const process = await made.spawn(options)
    expect(await made.steer?.(process, 'x')).toBe(false)
    expect(await made.configure?.(process, { model: 'm', mode: 'plan' })).toEqual(['model', 'mode'])
    made.pauseOutput?.(process, true)
    const refused = { code: 'UNSUPPORTED' }
    await expect(made.interrupt?.(process)).rejects.toMatchObject(refused)
    await expect(made.stopTask?.(process, 't')).rejects.toMatchObject(refused)
    await expect(made.query?.(process, 'q', {})).rejects.toMatchObject(refused)
    await expect(made.query?.(process, 'r', {})).rejects.toMatchObject({ ...refused, details: { method: 'r' } })
    await expect(made.configure?.(process, { maxThinkingTokens: 1 })).rejects.toMatchObject(refused)
    await expect(made.spawn({ ...options, maxThinkingTokens: 1 })).rejects.toMatchObject(refused)
    await expect(made.respondToPermission?.(process, { callId: 'c', decision: 'allow' })).rejects.toMatchObject(refused)
  })

  it('has what the driver knows without a process, and nothing that it does not', () => {
    expect(adapter({}, { mintSessionId: () => 'minted' }).adapter.mintSessionId?.()).toBe('minted')
    expect(adapter().adapter).not.toHaveProperty('mintSessionId')
    expect(adapter().adapter).not.toHaveProperty('start')
  })

  it('refuses options in the words of a program unless its driver reads them', async () => {
    const own = { ...options, providerConfig: { maxTurns: 3 } }
    await expect(adapter().adapter.spawn(own)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await expect(adapter().adapter.spawn({ ...own, providerConfig: {} })).resolves.toBeDefined()
    await expect(adapter({}, { readsProviderConfig: true }).adapter.spawn(own)).resolves.toBeDefined()
  })

  it('refuses a process that another adapter started', async () => {
    const process = await adapter().adapter.spawn(options)
    expect(() => adapter().adapter.send(process, 'x')).toThrow('belongs to another adapter')
  })
})
