/**
 * Runs inside the earlier checkout, with the client library of that commit: reads one call a line, answers each with a line.
 * It uses nothing but what that library has offered from the first release on.
 */
import { createInterface } from 'node:readline'
import { HubRest, signIn, Transport } from '@roundhouse/hub-client'

type Call = (...args: unknown[]) => Promise<unknown>

let headers: () => Record<string, string> = () => ({})
let rest = new HubRest(new Transport({ baseUrl: '' }))

const own: Record<string, (...args: string[]) => Promise<unknown>> = {
  connect: async (baseUrl = '') => {
    rest = new HubRest(new Transport({ baseUrl }))
  },
  signIn: async (baseUrl = '', email = '', password = '') => {
    const login = await signIn(baseUrl, email, password)
    headers = login.headers
    rest = new HubRest(new Transport(login))
  },
  headers: async () => headers(),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { name, args } = JSON.parse(line) as { name: string; args: unknown[] }
  try {
    const call = (own[name] ?? (rest as unknown as Record<string, Call>)[name]) as Call
    process.stdout.write(`${JSON.stringify({ value: (await call(...args)) ?? null })}\n`)
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: String(error) })}\n`)
  }
}
