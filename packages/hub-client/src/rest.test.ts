import { needsKey, type RouteName, type RouteSpec, routeIds, routes } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { HubRest } from './rest'
import { requestOf } from './route-call'
import type { RequestOptions, Transport } from './transport'

interface Sent {
  request: string
  options: RequestOptions
}

function restThatNotes() {
  const sent: Sent[] = []
  const note = async (method: string, path: string, options: RequestOptions) => {
    sent.push({ request: `${method} ${path}`, options })
  }
  const transport = {
    send: (method: string, path: string, _schema: unknown, options: RequestOptions) => note(method, path, options),
    download: (path: string, options: RequestOptions) => note('GET', path, options),
  } as unknown as Transport
  return { sent, rest: new HubRest(transport, () => 'a-new-key') }
}

describe('a call of a route', () => {
  it.each(Object.entries<RouteSpec>(routes))(
    'of %s is the request that the table names, with a key where one is needed',
    (name, route) => {
      const id = Object.fromEntries(routeIds(route.path).map((idName) => [idName, `the-${idName}`]))
      const { method, path, options } = requestOf(name as RouteName, { id }, () => 'a-new-key')
      expect(`${method} ${path}`).toBe(`${route.method.toUpperCase()} ${route.path.replace(/:/g, 'the-')}`)
      expect(options.idempotencyKey).toBe(needsKey(route) ? 'a-new-key' : undefined)
      expect(options.body !== undefined).toBe(route.body !== undefined || (route.method === 'post' && !route.upload))
    },
  )

  it('takes the key of its caller, the query and the body', async () => {
    const { sent, rest } = restThatNotes()
    await rest.prompt('s1', { promptId: 'p1', text: 'hello' }, 'my-own-key')
    await rest.events('s1', { after: 4, limit: 10 })
    await rest.artifact('s1', 'a1', 5)
    expect(sent).toEqual([
      {
        request: 'POST /sessions/s1/prompts',
        options: { body: { promptId: 'p1', text: 'hello' }, idempotencyKey: 'my-own-key' },
      },
      { request: 'GET /sessions/s1/events', options: { query: { after: 4, limit: 10 } } },
      { request: 'GET /sessions/s1/artifacts/a1', options: { query: { from: 5 } } },
    ])
  })

  it('leads to no other path, whatever an id holds', async () => {
    const { sent, rest } = restThatNotes()
    await rest.agent('../people?x=')
    expect(sent.map(({ request }) => request)).toEqual(['GET /agents/..%2Fpeople%3Fx%3D'])
  })

  it('does not compile with another name, another id, without what is needed, or of a file as JSON', () => {
    const never = (rest: HubRest) => {
      // @ts-expect-error no such route
      void rest.call('listMachines')
      // @ts-expect-error the id has another name
      void rest.call('getAgent', { id: { sessionId: 's1' } })
      // @ts-expect-error the id is missing
      void rest.call('getAgent')
      // @ts-expect-error the query is missing
      void rest.call('listFiles', { id: { sessionId: 's1' } })
      // @ts-expect-error the body has another shape
      void rest.call('interruptTurn', { id: { sessionId: 's1' }, body: { turn: 't1' } })
      // @ts-expect-error it gives a file
      void rest.call('getImage', { id: { sessionId: 's1', imageId: 'i1' } })
    }
    expect(never).toBeTypeOf('function')
  })
})
