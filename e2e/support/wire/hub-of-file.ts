/** One hub from the production build for all tests of a file, and plain HTTP to it. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll } from 'vitest'
import { freshFolder } from '../common/paths'
import { HubProcess } from '../processes/hub-process'
import { RawWeb } from './raw-web'

export interface HubOfFile {
  folder: string
  hub: HubProcess
  web: RawWeb
  /** The owner's login. */
  login: string
}

export interface HubOfFileOptions {
  /** Nobody has set up the hub. */
  ownerless?: boolean
  /** Added to the few variables that a hub needs. */
  env?: Record<string, string>
}

/** Started before the tests, with an owner, and removed after them. */
export function hubOfFile(name: string, { ownerless = false, env = {} }: HubOfFileOptions = {}): HubOfFile {
  const folder = freshFolder(name)
  const hub = new HubProcess(folder, env)
  const own = { folder, hub, web: new RawWeb(hub), login: '' }
  beforeAll(async () => {
    await hub.start()
    if (!ownerless) own.login = await own.web.makeOwner()
  })
  afterAll(async () => {
    await hub.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return own
}
