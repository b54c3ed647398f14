/** The page's own connection to the hub, in few words for the place beside the dot. Pure and exhaustive. */
import type { LinkState } from '@roundhouse/hub-client'

export function linkWords(link: LinkState, now: number): string {
  switch (link.state) {
    case 'live':
      return 'Live'
    case 'connecting':
      return 'Connecting'
    case 'refused':
      return 'Signed out: sign in'
    case 'reconnecting': {
      const seconds = Math.ceil((link.retryAt - now) / 1000)
      return now > 0 && seconds > 0 ? `Reconnecting in ${seconds} s` : 'Reconnecting…'
    }
  }
}
