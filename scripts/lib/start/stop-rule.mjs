// What ends npm start, and how. The foreground owns its sessions:
//   first Ctrl-C     no new work, every session is asked to end (the daemon does that, within 8 s), then all is down
//   second Ctrl-C    leave at once; sessions stay, and the line printed says how to end them
//   SIGTERM, SIGHUP  a service restart or a closed lid: hub and daemon go, sessions stay for the next start

// npm passes a terminal's Ctrl-C on, although we got it from the terminal already: one key press, two signals.
const echoMs = 500

/**
 * @param {{ now: () => number }} clock
 * @returns {(signal: string) => 'stop all' | 'leave' | 'leave at once' | 'ignore'}
 */
export function makeStopRule({ now }) {
  let firstAt = null
  let leaving = false
  return (signal) => {
    if (leaving) return 'ignore'
    if (signal !== 'SIGINT') {
      leaving = true
      return firstAt === null ? 'leave' : 'leave at once'
    }
    if (firstAt === null) {
      firstAt = now()
      return 'stop all'
    }
    if (now() - firstAt < echoMs) return 'ignore'
    leaving = true
    return 'leave at once'
  }
}
