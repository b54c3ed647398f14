/** A neighbour behind the same address (an office, a container's bridge, any program on the machine of a loopback hub). */
import { expect, it } from 'vitest'
import { hubOfFile } from '../support/hub-of-file'
import { RawSocket } from '../support/raw-socket'

const own = hubOfFile('neighbour')
const { web } = own

it('[T16] [VIEW-6] a neighbour who holds sockets and enters nothing does not keep the owner behind the same address out', async () => {
  const login = await web.asOwner()
  const held: RawSocket[] = []
  for (let i = 0; i < 40; i += 1) held.push(new RawSocket(web, { origin: web.origin }))
  await Promise.all(held.map(({ status }) => status))
  const viewer = new RawSocket(web, { login, origin: web.origin })
  expect(await viewer.status).toBe(101)
  for (const socket of [...held, viewer]) socket.close()
})
