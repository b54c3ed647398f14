/** Where this browser last started a session. The next one often starts there too. */
import { z } from 'zod'
import { ownStore } from '../../../live/own-store'

const KEY = 'roundhouse.last-session'
const Last = z.object({ agentId: z.string(), backend: z.string(), workDir: z.string() })
export type LastSession = z.infer<typeof Last>

export const lastSession = {
  get(): LastSession | null {
    try {
      const read = Last.safeParse(JSON.parse(ownStore.get(KEY) ?? 'null'))
      return read.success ? read.data : null
    } catch {
      return null
    }
  },
  set(last: LastSession): void {
    ownStore.set(KEY, JSON.stringify(last))
  },
}
