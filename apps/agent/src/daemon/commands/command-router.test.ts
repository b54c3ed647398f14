import { CodedError, type Command, type CommandAnswer, type CommandBody } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { Policy } from '../../policy/policy'
import { resolveRealPaths } from '../../policy/resolve-paths'
import { CommandRouter, type RouterPorts } from './command-router'

let count = 0
const command = (body: CommandBody, fields: Partial<Command> = {}): Command => {
  count += 1
  return {
    commandId: `c${count}`,
    sessionId: 's1',
    author: { userId: 'u', name: 'Ana' },
    createdAt: 1,
    body,
    ...fields,
  }
}
const prompt = (text = 'x') => command({ kind: 'prompt.send', promptId: 'p', text })
const interrupt = () => command({ kind: 'turn.interrupt', turnId: 't' })

/** A machine with one session; each forwarded command waits until the test answers it. */
function machine(fields: Partial<RouterPorts> = {}) {
  const forwarded: Command[] = []
  const recorded: string[] = []
  const erased: string[] = []
  const news: CommandAnswer[] = []
  const open = new Map<string, { resolve(answer: CommandAnswer): void; reject(error: unknown): void }>()
  let clock = 0
  const router = new CommandRouter({
    policy: () => Policy.parse({}),
    wrongVersions: () => ({}),
    see: async (paths) => resolveRealPaths(paths),
    diskTrouble: () => null,
    paused: () => false,
    exists: (sessionId) => sessionId === 's1',
    answerOf: () => null,
    refusedAtRest: () => null,
    images: { fetch: async () => {}, forget: () => {} },
    forward: (asked) => {
      forwarded.push(asked)
      return new Promise((resolve, reject) => open.set(asked.commandId, { resolve, reject }))
    },
    cancel: async () => ({ state: 'cancelled' }),
    erase: async (sessionId) => void erased.push(sessionId),
    enter: async () => true,
    entered: () => {},
    leaveQueue: () => false,
    news: (_sessionId, _commandId, answer) => void news.push(answer),
    surprised: () => {},
    record: (asked, answer) => void recorded.push(`${asked.body.kind} ${answer.state}`),
    elapsed: () => clock,
    ...fields,
  })
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
  const answer = async (asked: Command, made: CommandAnswer = { state: 'accepted' }) => {
    open.get(asked.commandId)?.resolve(made)
    await settled()
  }
  const later = (ms: number) => {
    clock += ms
  }
  return { router, forwarded, recorded, erased, news, open, answer, settled, later }
}

describe('the command router', () => {
  it('[CMD-2.1] [CMD-2.2] keeps the order of a session; what is about the running turn overtakes', async () => {
    const { router, forwarded, answer, settled } = machine()
    const [first, second, third] = [prompt(), prompt(), interrupt()]
    void router.take(first)
    void router.take(second)
    void router.take(third)
    await settled()
    expect(forwarded).toEqual([third, first])
    await answer(first)
    expect(forwarded).toEqual([third, first, second])
  })

  it('[CMD-2.18] what would overtake waits for the session to be there', async () => {
    let there = false
    const { router, forwarded, recorded, answer, settled } = machine({
      exists: () => there,
      policy: () => Policy.parse({ roots: ['/'] }),
    })
    const create = command({ kind: 'session.create', settings: { backend: 'scripted', workDir: '/' } })
    const end = command({ kind: 'process.end' })
    void router.take(create)
    void router.take(end)
    await settled()
    expect([forwarded, recorded]).toEqual([[create], []])
    there = true
    await answer(create)
    expect(forwarded).toEqual([create, end])
  })

  it('[CMD-2.18] what would overtake waits for the host to know the session, whose folder is there before', async () => {
    let there = false
    const { router, forwarded, answer, settled } = machine({
      exists: () => there,
      policy: () => Policy.parse({ roots: ['/'] }),
    })
    const create = command({ kind: 'session.create', settings: { backend: 'scripted', workDir: '/' } })
    const end = command({ kind: 'process.end' })
    void router.take(create)
    await settled()
    there = true
    void router.take(end)
    await settled()
    expect(forwarded).toEqual([create])
    await answer(create)
    expect(forwarded).toEqual([create, end])
  })

  it('[CMD-2.9] a repeat that arrives before the answer shares it', async () => {
    const { router, forwarded, recorded, answer, settled } = machine()
    const asked = prompt()
    const both = Promise.all([router.take(asked), router.take(asked)])
    await settled()
    await answer(asked)
    expect(await both).toEqual([{ state: 'accepted' }, { state: 'accepted' }])
    expect(forwarded).toHaveLength(1)
    expect(recorded).toEqual(['prompt.send accepted'])
  })

  it('[CMD-2.9] a repeat of what was taken before gets the recorded answer, whatever the policy says now', async () => {
    const { router, forwarded } = machine({ answerOf: () => ({ state: 'done' }) })
    expect(await router.take(command({ kind: 'session.configure', changes: { sandbox: 'full-access' } }))).toEqual({
      state: 'done',
    })
    expect(forwarded).toEqual([])
  })

  it('a host that died after it had taken the command has taken it', async () => {
    let taken = false
    const { router, open, settled } = machine({ answerOf: () => (taken ? { state: 'accepted' } : null) })
    const asked = prompt()
    const answer = router.take(asked)
    await settled()
    taken = true
    open.get(asked.commandId)?.reject(new Error('gone'))
    expect(await answer).toEqual({ state: 'accepted' })
  })

  it('a host that cannot be started is a refusal with its reason, and the next command is tried', async () => {
    const { router, open, settled, answer } = machine()
    const [first, second] = [prompt(), prompt()]
    const answers = Promise.all([router.take(first), router.take(second)])
    await settled()
    open.get(first.commandId)?.reject(new Error('no memory'))
    await settled()
    await answer(second)
    expect(await answers).toMatchObject([{ state: 'refused', error: { code: 'INTERNAL' } }, { state: 'accepted' }])
  })

  it('a session that never began leaves nothing behind', async () => {
    const { router, erased, answer, settled } = machine({ policy: () => Policy.parse({ roots: ['/'] }) })
    const create = command(
      { kind: 'session.create', settings: { backend: 'claude', workDir: '/' } },
      { sessionId: 'new' },
    )
    void router.take(create)
    await settled()
    await answer(create, { state: 'refused', error: { code: 'BACKEND_UNAVAILABLE', message: '', retryable: false } })
    expect(erased).toEqual(['new'])
  })

  it('an answer that took long is told as news, since nobody may wait for it any more', async () => {
    const { router, news, answer, settled, later } = machine()
    const asked = prompt()
    const taken = router.take(asked)
    await settled()
    later(60_000)
    await answer(asked)
    await taken
    expect(news).toEqual([{ state: 'accepted' }])
  })

  it('[CMD-4.3] what waits for a free place can be called back, and was never accepted', async () => {
    let refuse: (error: Error) => void = () => {}
    const { router, forwarded, settled } = machine({
      enter: () => new Promise((_resolve, reject) => (refuse = reject)),
      leaveQueue: () => {
        refuse(new CodedError('COMMAND_EXPIRED'))
        return true
      },
    })
    const asked = prompt()
    const answer = router.take(asked)
    await settled()
    expect(await router.cancel('s1', asked.commandId)).toEqual({ state: 'cancelled' })
    expect(await answer).toEqual({ state: 'cancelled' })
    expect(forwarded).toEqual([])
  })

  it('[POL-1] a policy file that cannot be read refuses what would start something, and nothing that ends it', async () => {
    const { router, forwarded, settled } = machine({
      policy: () => {
        throw new Error('broken')
      },
    })
    expect(await router.take(prompt())).toMatchObject({ state: 'refused' })
    const stop = command({ kind: 'session.stop' })
    void router.take(stop)
    await settled()
    expect(forwarded).toEqual([stop])
  })

  it('[POL-3.1] a paused machine refuses every verb at once, also behind one that waits', async () => {
    let paused = false
    const { router, forwarded, recorded, settled } = machine({ paused: () => paused })
    const first = prompt()
    void router.take(first)
    await settled()
    paused = true
    const bodies: CommandBody[] = [
      { kind: 'session.create', settings: { backend: 'scripted', workDir: '/' } },
      { kind: 'session.resume' },
      { kind: 'session.stop' },
      { kind: 'session.delete' },
      { kind: 'session.configure', changes: {} },
      { kind: 'prompt.send', promptId: 'p2', text: 'x' },
      { kind: 'queue.release' },
      { kind: 'turn.interrupt', turnId: 't' },
      { kind: 'permission.decide', requestId: 'r', procId: 'p', digest: 'd', decision: 'deny' },
    ]
    for (const body of bodies) {
      const refused = { state: 'refused', error: { code: 'POLICY_DENIED', details: { rule: 'paused' } } }
      expect(await router.take(command(body)), body.kind).toMatchObject(refused)
    }
    expect(forwarded).toEqual([first])
    expect(recorded).toEqual(bodies.map(({ kind }) => `${kind} refused`))
  })

  it('[CMD-2.9] [POL-3.3] a paused machine repeats what it answered before', async () => {
    const { router } = machine({ paused: () => true, answerOf: () => ({ state: 'done' }) })
    expect(await router.take(prompt())).toEqual({ state: 'done' })
  })

  it('[POL-3] what waited for a free place when the machine was paused does not start', async () => {
    let paused = false
    let enter: (placed: boolean) => void = () => {}
    const { router, forwarded, settled } = machine({
      diskTrouble: () => null,
      paused: () => paused,
      enter: () => new Promise((resolve) => (enter = resolve)),
    })
    const answer = router.take(prompt())
    await settled()
    paused = true
    enter(true)
    expect(await answer).toMatchObject({ state: 'refused', error: { details: { rule: 'paused' } } })
    expect(forwarded).toEqual([])
  })

  it('[CMD-4] is cancelled only where somebody took it back: a host that fails before it has its place is told', async () => {
    const gone = machine({ enter: () => Promise.reject(new CodedError('REQUEST_GONE')) })
    expect(await gone.router.take(prompt())).toMatchObject({ state: 'refused', error: { code: 'REQUEST_GONE' } })
    const back = machine({ enter: () => Promise.reject(new CodedError('COMMAND_EXPIRED')) })
    expect(await back.router.take(prompt())).toEqual({ state: 'cancelled' })
  })
})
