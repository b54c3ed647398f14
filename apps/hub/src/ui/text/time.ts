/** Durations and relative times in few characters, for dense lists. Pure. */

export function shortDuration(ms: number): string {
  if (ms < 950) return `${Math.max(0, Math.round(ms))} ms`
  const seconds = ms / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d`
}

export function ago(then: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - then) / 1000))
  if (seconds < 5) return 'now'
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

/** The same as words of a sentence. */
export function agoWords(then: number, now: number): string {
  const distance = ago(then, now)
  return distance === 'now' ? 'just now' : `${distance} ago`
}

/** What is left of days or hours. */
export const timeLeft = (ms: number): string => `${untilThen(ms)} left`

/** Days, hours or minutes, rounded: three days do not begin as two. */
export function untilThen(ms: number): string {
  const hours = ms / 3_600_000
  if (hours >= 47.5) return `${Math.round(hours / 24)} d`
  return hours >= 1 ? `${Math.round(hours)} h` : `${Math.max(1, Math.round(hours * 60))} min`
}

/** As people write it where the reader is. */
export function clockTime(at: number): string {
  return new Date(at).toLocaleTimeString([], { timeStyle: 'short' })
}

/** With its seconds. */
export function exactTime(at: number): string {
  return new Date(at).toLocaleTimeString([], { timeStyle: 'medium' })
}

/** For a moment of the next days, where a person is. */
export function dayTime(at: number): string {
  return new Date(at).toLocaleString([], { weekday: 'short', hour: '2-digit', minute: '2-digit' })
}
