/**
 * The key from which the secrets of the host sockets are derived. It comes from the agent's private key, so it has no file
 * of its own. A host survives a change of the private key, so the identity keeps the socket key of the first one
 * (docs/decisions/hosts-outlive-a-change-of-key.md).
 */
import { createHmac } from 'node:crypto'
import type { Identity } from './identity-file'

export function socketKeyOf({ privateKey, socketKey }: Pick<Identity, 'privateKey' | 'socketKey'>): Buffer {
  if (socketKey !== undefined) return Buffer.from(socketKey, 'base64url')
  return createHmac('sha256', Buffer.from(privateKey, 'base64url')).update('host-socket-key-v1').digest()
}

/** For an identity that takes the place of another one on this machine. */
export function keptSocketKey(before: Identity | null): { socketKey?: string } {
  return before ? { socketKey: socketKeyOf(before).toString('base64url') } : {}
}
