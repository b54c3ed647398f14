import { PassThrough, Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { BridgeReply } from '@roundhouse/backend-types/bridge'
import { expect, it } from 'vitest'
import { Outlet } from './outlet'

it('a client that asks and does not read is not heard any more until it has read', async () => {
  const unread: Array<() => void> = []
  let isReading = false
  const stdout = new Writable({
    write: (_chunk, _encoding, taken) => {
      if (isReading) setImmediate(taken)
      else unread.push(taken)
    },
  })
  const outlet = new Outlet(stdout, () => {})
  const stdin = new PassThrough()
  let heard = 0
  stdin.on('data', () => {
    heard++
    outlet.write({ text: 'x'.repeat(1024 * 1024) } as unknown as BridgeReply)
    outlet.holdBack(stdin)
  })
  for (let i = 0; i < 40; i++) {
    stdin.write('a line\n')
    await turn()
  }
  expect(heard).toBeLessThan(20)
  isReading = true
  for (const taken of unread) taken()
  await expect.poll(() => heard).toBe(40)
})
