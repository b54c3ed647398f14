'use client'
/**
 * The browser's only hub client: REST and one socket for the whole page. The credential is this browser's key, and the
 * address is the page's own origin (A19).
 */
import { createHubClient, type HubClient, type LinkState } from '@roundhouse/hub-client'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { endedLogin } from './ended-login'
import { isKeyReplaced, pageProver } from './page-prover'
import { wasSignedIn } from './was-signed-in'

const HubContext = createContext<HubClient | null>(null)
/** True from the moment at which the page lost the hub until its machines had the time to come back as well. */
const AwayContext = createContext(false)

export function HubProvider({ children }: { children: ReactNode }) {
  const [hub, setHub] = useState<HubClient | null>(null)
  useEffect(() => {
    let isClosed = false
    let client: HubClient | undefined
    let unlisten = () => {}
    async function begin(): Promise<void> {
      // Without a key, or with one of a login that is over, the hub would refuse every request.
      const key = await pageProver().current()
      if (isClosed) return
      const isEndedHere = key !== null && endedLogin.is(key.keyId)
      // Another tab may have noted the login after its person ended it.
      if (isEndedHere) wasSignedIn.take()
      if (!key || isEndedHere) return leave()
      const made = createHubClient({ baseUrl: '', prover: pageProver(), onSignedOut: () => void leave() })
      unlisten = endedLogin.onNoted(key.keyId, () => {
        made.close()
        goToLogin()
      })
      client = made
      setHub(made)
    }
    void begin()
    // A machine that woke up, or found its network again, need not wait.
    const awake = () => document.visibilityState === 'visible' && client?.socket.retryNow()
    addEventListener('online', awake)
    document.addEventListener('visibilitychange', awake)
    return () => {
      isClosed = true
      unlisten()
      removeEventListener('online', awake)
      document.removeEventListener('visibilitychange', awake)
      client?.close()
    }
  }, [])
  if (!hub) return null
  return (
    <HubContext value={hub}>
      <AwayProvider>{children}</AwayProvider>
    </HubContext>
  )
}

export function useHub(): HubClient {
  const hub = useContext(HubContext)
  if (!hub) throw new Error('useHub outside of HubProvider')
  return hub
}

export function useLinkState(): LinkState {
  const hub = useHub()
  const [state, setState] = useState<LinkState>(hub.socket.state)
  useEffect(() => hub.socket.onState(setState), [hub])
  return state
}

/** As long may machines take to come back to a hub that was gone (LINK-4). */
const MACHINES_RETURN_MS = 30_000

/** One clock for the whole page: its parts agree, also those that are shown only later. */
function AwayProvider({ children }: { children: ReactNode }) {
  const { state } = useLinkState()
  const [away, setAway] = useState(false)
  useEffect(() => {
    if (state === 'reconnecting') return setAway(true)
    if (state !== 'live') return
    const timer = setTimeout(() => setAway(false), MACHINES_RETURN_MS)
    return () => clearTimeout(timer)
  }, [state])
  return <AwayContext value={away || state === 'reconnecting'}>{children}</AwayContext>
}

/**
 * True while it may be the hub that was gone, not the machine. A machine that was offline before that is still offline once
 * the hub says so again; while the hub is away, nothing is known of it either.
 */
export function useHubAway(isOffline: boolean): boolean {
  const { state } = useLinkState()
  const away = useContext(AwayContext)
  const wasOffline = useRef(false)
  useEffect(() => {
    if (!away) wasOffline.current = isOffline
  }, [away, isOffline])
  return state === 'reconnecting' || (away && !wasOffline.current)
}

/** Several answers may say it before the page is gone. */
let ended = false

/** If somebody else signed in beside this page, the page starts over as that person. */
async function leave(): Promise<void> {
  if (await isKeyReplaced()) location.reload()
  else goToLogin()
}

function goToLogin(): void {
  if (['/login', '/setup', '/invitation'].includes(location.pathname)) return
  ended ||= wasSignedIn.take()
  const here = `${location.pathname}${location.search}${location.hash}`
  location.assign(`/login?next=${encodeURIComponent(here)}${ended ? '&ended=1' : ''}`)
}
