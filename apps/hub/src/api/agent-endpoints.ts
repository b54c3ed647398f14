import * as T from '@roundhouse/backend-types'
import { z } from 'zod'
import type { Core } from '../core'
import { type Endpoint, endpoint } from './endpoint'

const tag = 'agents'
const FoldersQuery = z.object({ path: z.string().max(4096).optional() })
const TokensList = z.object({ items: z.array(T.EnrollmentTokenView) })
const Name = z.object({ name: z.string().min(1).max(100) })

export function agentEndpoints({ agents }: Core): Endpoint[] {
  const change = { method: 'post', tag, answer: T.AgentView, errors: ['NOT_FOUND'] } as const
  return [
    endpoint({ method: 'get', path: '/agents', summary: 'List machines', tag, answer: T.AgentsList }, ({ actor }) =>
      agents.list(actor),
    ),
    endpoint(
      {
        method: 'get',
        path: '/agents/:agentId',
        summary: 'One machine',
        tag,
        answer: T.AgentView,
        errors: ['NOT_FOUND'],
      },
      ({ actor, id }) => agents.get(actor, id.agentId ?? ''),
    ),
    endpoint(
      {
        method: 'patch',
        path: '/agents/:agentId',
        summary: 'Rename a machine',
        tag,
        body: Name,
        answer: T.AgentView,
        errors: ['NOT_FOUND'],
      },
      ({ actor, id, body }) => agents.rename(actor, id.agentId ?? '', body.name),
    ),
    endpoint(
      {
        method: 'get',
        path: '/agents/:agentId/folders',
        summary: 'Folders that this machine allows',
        tag,
        query: FoldersQuery,
        answer: T.FoldersReply,
        errors: ['AGENT_OFFLINE', 'QUESTION_TIMEOUT', 'PATH_NOT_ALLOWED'],
      },
      ({ actor, id, query }) => agents.folders(actor, id.agentId ?? '', query.path),
    ),
    endpoint({ ...change, path: '/agents/:agentId/refresh', summary: 'Look at the backends again' }, ({ actor, id }) =>
      agents.refresh(actor, id.agentId ?? ''),
    ),
    endpoint(
      { ...change, path: '/agents/:agentId/approve', summary: 'Admit a machine that waits', personally: true },
      ({ actor, id, key }) => agents.approve(actor, id.agentId ?? '', key),
    ),
    endpoint(
      { ...change, path: '/agents/:agentId/refuse', summary: 'Refuse a machine that waits, for good' },
      ({ actor, id, key }) => agents.refuse(actor, id.agentId ?? '', key),
    ),
    endpoint({ ...change, path: '/agents/:agentId/disable', summary: 'Disable a machine' }, ({ actor, id, key }) =>
      agents.disable(actor, id.agentId ?? '', key),
    ),
    endpoint({ ...change, path: '/agents/:agentId/enable', summary: 'Enable a machine' }, ({ actor, id, key }) =>
      agents.enable(actor, id.agentId ?? '', key),
    ),
    endpoint(
      { ...change, path: '/agents/:agentId/revoke', summary: 'Revoke a machine for good' },
      ({ actor, id, key }) => agents.revoke(actor, id.agentId ?? '', key),
    ),
    endpoint(
      { ...change, path: '/agents/:agentId/accept-restored', summary: 'Accept a machine restored from a backup' },
      ({ actor, id, key }) => agents.acceptRestored(actor, id.agentId ?? '', key),
    ),
    endpoint(
      {
        method: 'post',
        path: '/enrollment-tokens',
        summary: 'Make a one-time enrollment token',
        tag,
        body: T.EnrollmentTokenRequest,
        answer: T.EnrollmentTokenMade,
        status: 201,
        errors: ['SHOWN_ONCE'],
      },
      ({ actor, body, key }) => agents.makeToken(actor, body, key),
    ),
    endpoint(
      { method: 'get', path: '/enrollment-tokens', summary: 'List enrollment tokens', tag, answer: TokensList },
      ({ actor }) => agents.listTokens(actor),
    ),
    endpoint(
      {
        method: 'get',
        path: '/enrollment-tokens/:tokenId',
        summary: 'What became of a token',
        tag,
        answer: T.EnrollmentTokenView,
        errors: ['NOT_FOUND'],
      },
      ({ actor, id }) => agents.getToken(actor, id.tokenId ?? ''),
    ),
    endpoint(
      {
        method: 'delete',
        path: '/enrollment-tokens/:tokenId',
        summary: 'Revoke a token',
        tag,
        answer: T.EnrollmentTokenView,
        errors: ['NOT_FOUND'],
      },
      ({ actor, id, key }) => agents.revokeToken(actor, id.tokenId ?? '', key),
    ),
    endpoint(
      {
        method: 'post',
        path: '/agent/challenge',
        summary: 'A nonce to sign, and the proof of this hub',
        tag,
        body: T.ChallengeRequest,
        answer: T.ChallengeReply,
        open: true,
        errors: ['RATE_LIMITED'],
      },
      ({ address, body }) => agents.challenge({ address }, body),
    ),
    endpoint(
      {
        method: 'post',
        path: '/agent/enroll',
        summary: 'Enroll a machine with a one-time token',
        tag,
        body: T.EnrollRequest,
        answer: T.EnrollReply,
        status: 201,
        open: true,
        errors: ['ENROLLMENT_INVALID', 'AUTH_FAILED', 'RATE_LIMITED'],
      },
      ({ address, body }) => agents.enroll({ address }, body),
    ),
    endpoint(
      {
        method: 'post',
        path: '/agent/rotate-key',
        summary: 'Give a machine another key, signed by the one it has',
        tag,
        body: T.RotateKeyRequest,
        answer: T.RotateKeyReply,
        open: true,
        errors: ['AUTH_FAILED', 'AGENT_PENDING', 'AGENT_DISABLED', 'AGENT_REVOKED', 'AGENT_CLONED'],
      },
      ({ address, body }) => agents.rotateKey({ address }, body),
    ),
  ]
}
