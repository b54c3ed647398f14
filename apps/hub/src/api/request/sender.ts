/** Identifies the sender of a request: the login that it presents, and the device. */
import { proofHeaders } from '@roundhouse/backend-types'
import type { Context } from 'hono'
import type { Shown } from '../../auth/authenticate'

/** What a request shows of who sends it. */
export const shownBy = (c: Context): Shown => ({
  ...requestOf(c),
  proof: c.req.header(proofHeaders.login),
  authorization: c.req.header('authorization'),
})

/** The facts that a proof signs. */
export function requestOf(c: Context): Pick<Shown, 'method' | 'path'> {
  const { pathname, search } = new URL(c.req.url)
  return { method: c.req.method, path: `${pathname}${search}` }
}

const browsers = { Edge: /Edg\//, Firefox: /Firefox\//, Chrome: /Chrome\//, Safari: /Safari\// }
const systems = { Android: /Android/, iOS: /iPhone|iPad/, Windows: /Windows/, macOS: /Mac OS/, Linux: /Linux/ }

/** "Chrome on Android": enough for a person to know which of their devices it was. */
export function deviceOf(agent: string | undefined): string {
  if (!agent) return 'an unnamed client'
  const nameIn = (table: Record<string, RegExp>) => Object.keys(table).find((name) => table[name]?.test(agent))
  const system = nameIn(systems)
  const browser = nameIn(browsers) ?? 'a program'
  return system ? `${browser} on ${system}` : browser
}
