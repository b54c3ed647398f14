/** A namespace of people beside the one of pages: it has its own right to enter, and loses whoever loses that right. */
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type StoredPerson, storePerson } from '../testing/stored-person'
import { ana, ben, TestHub } from '../testing/test-hub'
import { PeopleNamespace } from './people/people-namespace'

describe('a namespace of people who manage the hub', () => {
  let hub: TestHub
  let admin: StoredPerson
  let admins: PeopleNamespace<Record<string, never>, { hello: (to: string) => void }>
  const sockets: Socket[] = []
  beforeEach(async () => {
    hub = await TestHub.start()
    admin = await storePerson(hub, { ...ana, userId: 'u_ada', role: 'admin', credential: credentialOf('u_ada') }, [])
    const actors = [admin.actor, ben]
    const actorOf = (proof = '') => actors.find(({ userId }) => userId === proof)
    admins = new PeopleNamespace(hub.gateway.io.of('/admins'), {
      core: hub.core,
      logins: {
        authenticate: async ({ proof }) => {
          const actor = actorOf(proof)
          return actor ? { actor, loginId: actor.credential.id } : null
        },
        nonce: () => '',
      },
      requires: 'hub.manage',
      mostPerLogin: 2,
    })
    admins.onEntry({ admitted: (socket) => void socket.emit('hello', socket.data.login.actor.userId) })
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.disconnect()
    await hub.stop()
  })

  const credentialOf = (userId: string) => ({ kind: 'login', id: `${userId}-1` }) as const
  const enters = (proof: string) => {
    const extraHeaders = { origin: hub.url }
    const socket = io(`${hub.url}/admins`, {
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      extraHeaders,
      auth: { proof },
    })
    sockets.push(socket)
    const heard = new Promise<unknown>((resolve) => {
      socket.once('hello', (to) => resolve({ hello: to }))
      socket.once('connect_error', (error: Error & { data?: unknown }) =>
        resolve({ refused: error.message, data: error.data }),
      )
    })
    return { socket, heard }
  }

  it('[AUTH-1.3] admits whoever has the right, and refuses others with a code', async () => {
    expect(await enters('u_ada').heard).toEqual({ hello: 'u_ada' })
    expect(await enters(ben.userId).heard).toEqual({ refused: 'FORBIDDEN', data: { action: 'hub.manage' } })
    expect(await enters('u_nobody').heard).toEqual({ refused: 'AUTH_REQUIRED' })
  })

  it('[AUTH-1.12] refuses a login that has as many connections as it may have, and admits it once one of them is gone', async () => {
    const [first, second] = [enters('u_ada'), enters('u_ada')]
    await Promise.all([first.heard, second.heard])
    expect(await enters('u_ada').heard).toEqual({ refused: 'RATE_LIMITED', data: { connections: 2 } })
    expect(second.socket.connected).toBe(true)
    first.socket.disconnect()
    await expect.poll(() => enters('u_ada').heard).toEqual({ hello: 'u_ada' })
  })

  it('[AUTH-1.11] closes the socket of a person whose role changed, before anything else is sent', async () => {
    const { socket, heard } = enters('u_ada')
    await heard
    const said: unknown[] = []
    socket.on('hello', (to) => said.push(to))
    const gone = new Promise((resolve) => socket.once('disconnect', resolve))
    await admin.change({ role: 'viewer' })
    await admins.lane.send(() => void admins.sockets.emit('hello', 'everybody'))
    await gone
    expect(said).toEqual([])
  })
})
