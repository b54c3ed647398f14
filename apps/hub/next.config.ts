import path from 'node:path'
import type { NextConfig } from 'next'

const root = path.join(import.meta.dirname, '../..')

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  transpilePackages: ['@roundhouse/backend-types', '@roundhouse/delivery', '@roundhouse/hub-client'],
  outputFileTracingRoot: root,
  turbopack: { root },
  devIndicators: false,
}

export default config
