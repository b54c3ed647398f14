/**
 * The hub's composition root: one process, one port. Live objects are made here and passed in; no other file knows
 * everybody.
 */
import { readFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import path from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { CodedError, toCodedError } from '@roundhouse/backend-types'
import { InTheWay } from '@roundhouse/owner'
import { type Logger, pino } from 'pino'
import { announceEnrollment, announceHub, withdraw } from './announce'
import { createApi } from './api'
import { createAccounts } from './auth/accounts'
import { createAuthenticate, createRecognise } from './auth/authenticate'
import { CLIENT_ADDRESS_HEADER, createAuth } from './auth/better-auth'
import { createClientAddress } from './auth/client-address'
import { createFactorKeeper } from './auth/factor-keeper'
import { loadHubSecret, refuseWeakSecret } from './auth/hub-secret'
import { createOidcProvider } from './auth/oidc'
import { createDiscovery } from './auth/oidc-discovery'
import { Proofs } from './auth/proofs'
import { createSecretKeeper } from './auth/secret-keeper'
import { createSetup } from './auth/setup'
import { createWebGuard, judgeAgentHandshake, judgeViewerHandshake, type WebGuard } from './auth/web-guard'
import { createBotChecker, startChannels } from './channels'
import { type HubConfig, readConfig } from './config'
import { clientNetwork, createCore } from './core'
import { takeFolderLock } from './folder-lock'
import { createGateway, type Gateway } from './gateway'
import { spreadLastNet } from './last-net'
import { isSafeUrl, type OidcConfig } from './oidc-config'
import { hubWithoutLock } from './older-hub'
import { createOutbound } from './outbound'
import { ownLog } from './own-log'
import { inTurns } from './page-turns'
import { keepPrivate } from './private-files'
import { runClock } from './run-clock'
import { createSite } from './site'
import { newHubEpoch, openStore } from './store/sqlite'
import { waitForRoom } from './wait-for-room'
import { createWebServer, refuse } from './web-server'

const hubDir = path.resolve(import.meta.dirname, '..')
const migrationsDir = path.resolve(hubDir, '../../prisma/migrations/sqlite')
const FORCE_EXIT_MS = 5_000

async function start(config: HubConfig, log: Logger): Promise<void> {
  const startedAt = Date.now()
  const outbound = createOutbound({ allow: config.outboundNetworks })
  for (const place of keepPrivate(config.dataDir))
    log.warn({ place }, 'other users may be able to read this, and the hub cannot change that')
  await waitForRoom(config.dataDir, log)
  const lock = await takeFolderLock(config.dataDir, 'hub')
  const older = hubWithoutLock(config.dataDir)
  if (older !== null)
    throw new CodedError(
      'ALREADY_RUNNING',
      `A hub of an earlier release runs on ${config.dataDir} (process ${older}). Stop it first.`,
    )
  withdraw(config.dataDir) // what one that was killed left behind
  refuseWeakSecret(config.dataDir)

  let guard: WebGuard = { hosts: new Set(), origins: new Set() }
  let api: RequestListener = notReady
  const addressOf = createClientAddress(config.trustedProxies)
  const proofs = new Proofs()
  const server = createWebServer({
    guard: () => guard,
    addressOf,
    proofNonce: () => proofs.nonce(),
    api: () => api,
    pages: () => (api === notReady ? notReady : pages),
    otherSockets: config.dev,
  })

  const site = createSite({
    config,
    dir: hubDir,
    server,
    onError: (err) => log.error({ err }, 'cannot load the pages'),
  })
  const tooMany = new CodedError('RATE_LIMITED', 'Too many pages were requested at once.')
  const networkOf = (request: IncomingMessage) => clientNetwork(addressOf(request))
  const pages = inTurns(site.handle, networkOf, (response) => refuse(response, tooMany))
  const [store] = await Promise.all([
    openStore({ file: path.join(config.dataDir, 'hub.db'), migrationsDir }),
    config.dev && site.load(),
  ])
  const port = await listen(server, config) // last, so that whoever connects is served
  const publicUrl = config.publicUrl ?? `http://localhost:${port}`
  guard = createWebGuard(publicUrl, port, config.loopback)

  const hubUrls = () => [publicUrl, ...[...guard.origins].filter((origin) => origin !== publicUrl)]
  const core = createCore({
    ...store,
    accounts: createAccounts(() => auth),
    keeper: createFactorKeeper(() => auth),
    secretKeeper: createSecretKeeper(() => auth),
    outbound,
    bots: createBotChecker(config),
    hubUrls,
    newHubEpoch,
    log,
    busBudget: config.busBudget,
    busKeeps: config.busKeeps,
  })
  let gateway: Gateway | undefined
  const oidc = config.oidc ? createOidc(config.oidc, log) : undefined
  const auth = createAuth({
    prisma: store.prisma,
    oidc: oidc?.provider,
    publicUrl,
    guard,
    secret: loadHubSecret(config.dataDir),
    onPersonChanged: (userId) => gateway?.closePerson(userId),
  })
  const { findLogin } = store
  const authenticate = createAuthenticate({ proofs, findLogin, byToken: core.account.byToken })
  const recognise = createRecognise({ proofs, findLogin, knownKey: core.logins.knownKey })
  const setup = createSetup(store.setup, auth, { onDone: () => store.storage.checkpoint() })
  gateway = createGateway({
    server,
    core,
    authenticate,
    nonce: () => proofs.nonce(),
    addressOf,
    judgeViewer: (host, origin) => judgeViewerHandshake(guard, host, origin),
    judgeAgent: (host, origin) => judgeAgentHandshake(guard, host, origin),
    log,
  })
  const rest = createApi({
    core,
    auth,
    authenticate,
    recognise,
    proofs,
    setup,
    version: version(),
    addressHeader: CLIENT_ADDRESS_HEADER,
    oidc,
    onInternalError: (error, where) => {
      const damaged = toCodedError(error).code === 'STORAGE_DAMAGED'
      log.error({ err: error, path: where }, damaged ? "the hub's file is damaged here" : 'unexpected error')
    },
  })
  // Bodies that nobody read are the server's own affair.
  api = getRequestListener(rest.fetch, { overrideGlobalObjects: false, autoCleanupIncoming: false })

  const pageOf = (sessionId: string) => `${publicUrl}/sessions/${sessionId}`
  const channels = startChannels({ config, core, log, pageOf })
  const clock = runClock(() => core.tick(), { onError: (err) => log.error({ err }, 'a tick failed') })
  stopOnSignals(log, async () => {
    withdraw(config.dataDir)
    await clock.stop()
    await channels.stop()
    await gateway?.close()
    server.closeAllConnections()
    await core.close()
    await store.close()
    lock.release()
  })

  core.auditLog.check().catch((err) => log.error({ err }, 'cannot check the audit log'))
  const code = await setup.issueCode()
  await store.storage.checkpoint()
  if (config.localEnrollment) {
    const { token, hubKeyFingerprint } = await core.agents.makeLocalToken(hostname())
    announceEnrollment(config.dataDir, { token, fingerprint: hubKeyFingerprint, url: publicUrl })
  }
  const setupUrl = code === null ? null : `${publicUrl}/setup#${code}`
  const { keyFingerprint } = core.hub
  announceHub(config.dataDir, {
    pid: process.pid,
    port,
    url: publicUrl,
    hubKeyFingerprint: keyFingerprint,
    setupUrl,
    startedAt,
    locked: true,
  })
  log.info(
    { url: publicUrl, readyMs: Date.now() - startedAt },
    setupUrl ? `Roundhouse is running. Set it up at ${setupUrl}` : 'Roundhouse is running',
  )
}

function createOidc(config: OidcConfig, log: Logger) {
  const discover = createDiscovery({ issuer: config.issuer, isSafeUrl })
  const onRefused = (why: string) => log.warn({ why }, 'a sign-in by the identity provider was refused')
  const provider = createOidcProvider({ ...config, discover, onRefused })
  discover().catch((err) =>
    log.warn({ err }, 'the identity provider does not answer; the hub tries again at the next sign-in'),
  )
  return { label: config.label, discover, provider }
}

function listen(server: Server, config: HubConfig): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, config)))
    // A connection that the system has no room for is nobody's end (later than `listen`, too).
    server.on('error', () => {})
    server.listen(config.port, config.host, () => resolve((server.address() as AddressInfo).port))
  })
}

function listenError(error: NodeJS.ErrnoException, config: HubConfig): Error {
  if (error.code !== 'EADDRINUSE') return error
  return new CodedError('ALREADY_RUNNING', `Port ${config.port} is in use. Choose another: PORT=${config.port + 1}.`)
}

/** Between `listen` and the first handler. */
const notReady: RequestListener = (_request, response) => {
  const error = new CodedError('STORAGE_UNAVAILABLE', 'The hub is starting.')
  response.writeHead(error.status, { 'content-type': 'application/json', 'retry-after': '1' })
  response.end(JSON.stringify({ error: error.toBody() }))
}

function stopOnSignals(log: Logger, stop: () => Promise<void>): void {
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      setTimeout(() => process.exit(0), FORCE_EXIT_MS).unref()
      stop().then(
        () => process.exit(0),
        (err) => {
          log.error({ err }, 'stopping')
          process.exit(1)
        },
      )
    })
  }
}

function version(): string {
  return (JSON.parse(readFileSync(path.join(hubDir, 'package.json'), 'utf8')) as { version: string }).version
}

const destination = ownLog()
let log = pino({ base: undefined }, destination)
try {
  const config = readConfig(process.env, process.argv)
  log = pino({ level: config.logLevel, base: undefined }, destination)
  spreadLastNet(log)
  await start(config, log)
} catch (thrown) {
  const error =
    thrown instanceof InTheWay ? new CodedError('STORAGE_UNAVAILABLE', thrown.message) : toCodedError(thrown)
  if (error.code === 'INTERNAL') log.error({ err: thrown }, 'the hub did not start')
  else console.error(error.message)
  process.exit(1)
}
