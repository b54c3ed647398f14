/**
 * Identifiers. Each is a plain string with a fixed alphabet, so that it needs no escaping in a file name, a socket room or a
 * URL. Every id from outside is checked against these.
 */
import { z } from 'zod'

/** Letters, digits, `_` and `-`; 1 to 64 characters; never starts with `-`. */
export const Id = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/, 'an id of letters, digits, _ and -')
export type Id = z.infer<typeof Id>

/** An id that a backend minted (`backendSessionId`, `callId`). Wider alphabet, never used in a path or a room. */
export const ForeignId = z.string().min(1).max(256)
export type ForeignId = z.infer<typeof ForeignId>

/** Lower-case hexadecimal SHA-256. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a lower-case hex SHA-256')
export type Sha256 = z.infer<typeof Sha256>

/** Position in a session's log: 1 and up, dense (LOG-2). 2^53 - 1 is the end. */
export const Seq = z.number().int().min(1).max(Number.MAX_SAFE_INTEGER)
export type Seq = z.infer<typeof Seq>

/** A log position that may also be 0, "nothing yet". */
export const Cursor = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
export type Cursor = z.infer<typeof Cursor>

/** The end of the year 9999. What lies far beyond is no date of JavaScript any more. */
export const LATEST_MILLIS = 253_402_300_799_999

/** Milliseconds since the Unix epoch, by the writer's clock. */
export const Millis = z.number().int().min(0).max(LATEST_MILLIS)
export type Millis = z.infer<typeof Millis>
