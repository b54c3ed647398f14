import { describe, expect, it } from 'vitest'
import { createRpc, type RpcDialect, RpcError } from './json-rpc'

function dialogue(dialect: Omit<RpcDialect, 'program'> = {}) {
  const sent: object[] = []
  const seen: unknown[] = []
  const rpc = createRpc({ program: 'The program', ...dialect }, (frame) => sent.push(frame), {
    notification: (method, params) => seen.push({ notification: method, params }),
    request: (id, method, params) => seen.push({ request: id, method, params }),
    stray: (payload) => seen.push({ stray: payload }),
  })
  return { rpc, sent, seen, hear: (frame: unknown) => rpc.receive(JSON.stringify(frame)) }
}

describe('a JSON-RPC peer', () => {
  it('settles a reply before the line behind it is read, and leaves no request open at the end', async () => {
    const { rpc, seen, hear } = dialogue()
    rpc.call('turn/start', {}, (outcome) => seen.push(outcome))
    const open = rpc.request('turn/steer', {})
    hear({ id: 1, result: 'taken' })
    hear({ method: 'turn/started', params: { turn: 1 } })
    rpc.close(new Error('gone'))
    await expect(open).rejects.toThrow('gone')
    await expect(rpc.request('more', {})).rejects.toThrow('gone')
    expect(seen).toEqual([
      { ok: true, result: 'taken' },
      { notification: 'turn/started', params: { turn: 1 } },
    ])
  })

  it('answers requests of the other end, whose ids are its own', async () => {
    const { rpc, sent, seen, hear } = dialogue()
    const open = rpc.request('ask', { a: 1 })
    hear({ id: 1, method: 'approve', params: { b: 2 } })
    hear({ id: 'x', method: 'approve' })
    rpc.reply(1, 'yes')
    rpc.replyError('x', -32_601, 'never heard of it')
    hear({ id: 1, result: 'answered' })
    expect(await open).toBe('answered')
    expect(seen).toEqual([
      { request: 1, method: 'approve', params: { b: 2 } },
      { request: 'x', method: 'approve', params: undefined },
    ])
    expect(sent).toEqual([
      { id: 1, method: 'ask', params: { a: 1 } },
      { id: 1, result: 'yes' },
      { id: 'x', error: { code: -32_601, message: 'never heard of it' } },
    ])
  })

  it('tells a refusal with its method, code and words, and one without words in its own', async () => {
    const { rpc, hear } = dialogue()
    const refused = [rpc.request('one', {}), rpc.request('two', {})]
    hear({ id: 1, error: { code: 7, message: 'no' } })
    hear({ id: 2, error: 'odd' })
    expect(await Promise.all(refused.map((one) => one.catch((error) => error)))).toEqual([
      new RpcError('one', 7, 'no'),
      new RpcError('two', 0, 'The program refused the request.'),
    ])
  })

  it('hands over what is no frame of the dialogue', () => {
    const { rpc, seen, hear } = dialogue()
    rpc.receive('no JSON')
    hear([1])
    hear({ id: 5, result: 'nobody asked' })
    expect(seen).toEqual([{ stray: 'no JSON' }, { stray: {} }, { stray: { id: 5, result: 'nobody asked' } }])
  })

  it('names the version in each frame where the program wants that', () => {
    const { rpc, sent } = dialogue({ version: '2.0' })
    rpc.notify('hello', { to: 'all' })
    expect(sent).toEqual([{ jsonrpc: '2.0', method: 'hello', params: { to: 'all' } }])
  })
})
