/** The hub itself, its settings and its audit log. */
import { AuditPage, AuditQuery } from '../link/audit'
import { Me } from '../link/people'
import { Health, HubSettings, HubSettingsChange, Ok, Ready, SetupRequest } from '../link/rest'
import type { RouteTable } from './route'

export const hubRoutes = {
  getHealth: {
    method: 'get',
    path: '/health',
    tag: 'hub',
    summary: 'Whether the hub is up',
    answer: Health,
    access: 'open',
  },
  getReady: {
    method: 'get',
    path: '/ready',
    tag: 'hub',
    summary: 'Whether the hub accepts writes',
    answer: Ready,
    access: 'open',
    errors: ['STORAGE_UNAVAILABLE'],
  },
  setUp: {
    method: 'post',
    path: '/setup',
    tag: 'hub',
    summary: 'Create the owner with the one-time setup code',
    body: SetupRequest,
    answer: Ok,
    status: 201,
    access: 'open',
    errors: ['SETUP_INVALID', 'NAME_NOT_ALLOWED', 'RATE_LIMITED'],
  },
  getSettings: {
    method: 'get',
    path: '/settings',
    tag: 'hub',
    summary: 'Get the settings for new machines',
    answer: HubSettings,
  },
  changeSettings: {
    method: 'patch',
    path: '/settings',
    tag: 'hub',
    summary: 'Change the settings for new machines',
    body: HubSettingsChange,
    answer: HubSettings,
  },
  getMe: { method: 'get', path: '/me', tag: 'hub', summary: 'Who is signed in', answer: Me },
  readAuditLog: {
    method: 'get',
    path: '/audit',
    tag: 'audit',
    summary: 'The audit log, newest first, and whether its chain holds',
    query: AuditQuery,
    answer: AuditPage,
  },
} as const satisfies RouteTable
