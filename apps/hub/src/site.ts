/**
 * The pages (Next). They are most of what a hub loads, and the log needs none of them: after a crash the agents are
 * served a second earlier, and a hub that nobody looks at holds less.
 */
import { existsSync } from 'node:fs'
import type { RequestListener, Server } from 'node:http'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import type { HubConfig } from './config'
import { loadAgain, requireNext } from './load-pages'

export interface Site {
  /** The first request for a page loads them all and waits for that; later ones find them there. A failed load is tried again. */
  handle: RequestListener
  /** Loads them now: in development, where Next takes sockets as well. */
  load(): Promise<void>
}

export interface SiteOptions {
  config: Pick<HubConfig, 'dev' | 'port' | 'host'>
  /** The folder with `.next`, which is looked for at once: a hub without a build shall not seem to be up. */
  dir: string
  server: Server
  /** A load failed. */
  onError: (error: unknown) => void
}

export function createSite({ config, dir, server, onError }: SiteOptions): Site {
  if (!config.dev && !existsSync(path.join(dir, '.next/BUILD_ID'))) {
    throw new CodedError('INVALID_ARGUMENT', 'This hub is not built. Run: npm run build')
  }

  async function open(): Promise<RequestListener> {
    const site = requireNext()({ dev: config.dev, dir, httpServer: server, port: config.port, hostname: config.host })
    await site.prepare()
    return site.getRequestHandler() as RequestListener
  }
  const pages = loadAgain(open, onError)

  return {
    handle: (request, response) => {
      pages().then(
        (handle) => handle(request, response),
        () => {
          response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '1' })
          response.end('The pages of this hub cannot be loaded now. Its log says why; it tries again.')
        },
      )
    },
    load: async () => {
      await pages()
    },
  }
}
