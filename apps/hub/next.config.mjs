// Plain JavaScript on purpose: for a TypeScript configuration a production server loads Next's whole compiler, 30 MB.
import path from 'node:path'

const withoutSummaries = path.join(import.meta.dirname, 'page-loaders/without-summaries.cjs')
const root = path.join(import.meta.dirname, '../..')

/** @type {import('next').NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  transpilePackages: ['@roundhouse/backend-types', '@roundhouse/delivery', '@roundhouse/hub-client'],
  outputFileTracingRoot: root,
  // Pages check with the part of zod that the contract uses; the server that draws them has all of it.
  turbopack: {
    root,
    resolveAlias: { zod: { browser: '@roundhouse/backend-types/page-zod' } },
    rules: { '*-{routes,frames}.ts': { condition: 'browser', loaders: [withoutSummaries] } },
  },
  devIndicators: false,
  // What people type: the names that the navigation shows.
  redirects: async () => [
    { source: '/machines', destination: '/agents', permanent: false },
    { source: '/inbox', destination: '/', permanent: false },
  ],
}

export default config
