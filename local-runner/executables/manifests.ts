import type { Target } from './nodeBinaries'

/** What a package manager has to know of a release. */
export type Published = {
  readonly version: string
  /** Where people read about it. */
  readonly homepage: string
  /** The folder of the downloads, as `https://…/releases/download/v0.1.0`. */
  readonly downloads: string
  readonly files: Readonly<Partial<Record<Target, { readonly name: string; readonly sha256: string }>>>
}

const NAME = 'lantern-room'
const DESCRIPTION = 'Motion photos from videos, and rooms to play in one world with friends'
const LICENCE = 'MIT'
const IDENTIFIER = 'LanternRoom.LanternRoom'
const WINGET_VERSION = '1.6.0'

/**
 * The manifests by which package managers install the program `lantern-room`, from the archives of a release.
 * @returns the text of each file by its path; none of a manager whose systems the release lacks
 */
export function manifestsOf(published: Published): Readonly<Record<string, string>> {
  return { ...scoop(published), ...winget(published), ...homebrew(published) }
}

/** @see https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests */
function scoop({ version, homepage, downloads, files }: Published): Record<string, string> {
  const file = files['win-x64']
  if (!file) return {}
  const manifest = {
    version,
    description: DESCRIPTION,
    homepage,
    license: LICENCE,
    architecture: {
      '64bit': {
        url: `${downloads}/${file.name}`,
        hash: file.sha256,
        extract_dir: file.name.replace(/\.zip$/, ''),
      },
    },
    bin: `${NAME}.exe`,
  }
  return { [`scoop/${NAME}.json`]: `${JSON.stringify(manifest, undefined, 4)}\n` }
}

/** @see https://learn.microsoft.com/en-us/windows/package-manager/package/manifest */
function winget({ version, homepage, downloads, files }: Published): Record<string, string> {
  const file = files['win-x64']
  if (!file) return {}
  const manifest = (type: string, fields: readonly string[]) =>
    [
      `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.${WINGET_VERSION}.schema.json`,
      `PackageIdentifier: ${IDENTIFIER}`,
      `PackageVersion: "${version}"`,
      ...fields,
      `ManifestType: ${type}`,
      `ManifestVersion: ${WINGET_VERSION}`,
      '',
    ].join('\n')
  return {
    [`winget/${IDENTIFIER}.yaml`]: manifest('version', ['DefaultLocale: en-US']),
    [`winget/${IDENTIFIER}.installer.yaml`]: manifest('installer', [
      'InstallerType: zip',
      'NestedInstallerType: portable',
      'NestedInstallerFiles:',
      `- RelativeFilePath: ${file.name.replace(/\.zip$/, '')}\\${NAME}.exe`,
      `  PortableCommandAlias: ${NAME}`,
      'Installers:',
      '- Architecture: x64',
      `  InstallerUrl: ${downloads}/${file.name}`,
      `  InstallerSha256: ${file.sha256.toUpperCase()}`,
    ]),
    [`winget/${IDENTIFIER}.locale.en-US.yaml`]: manifest('defaultLocale', [
      'PackageLocale: en-US',
      'Publisher: Lantern Room',
      'PackageName: Lantern Room',
      `PackageUrl: ${homepage}`,
      `License: ${LICENCE}`,
      `ShortDescription: ${DESCRIPTION}`,
    ]),
  }
}

/** The blocks of a formula. */
const HOMEBREW_SYSTEMS = {
  on_macos: { on_arm: 'darwin-arm64', on_intel: 'darwin-x64' },
  on_linux: { on_arm: 'linux-arm64', on_intel: 'linux-x64' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Target>>>>

/** @see https://docs.brew.sh/Formula-Cookbook */
function homebrew({ version, homepage, downloads, files }: Published): Record<string, string> {
  const blocks = Object.entries(HOMEBREW_SYSTEMS).flatMap(([system, targets]) => {
    const found = Object.entries(targets).flatMap(([processor, target]) => {
      const file = files[target]
      if (!file) return []
      return [
        `    ${processor} do`,
        `      url "${downloads}/${file.name}"`,
        `      sha256 "${file.sha256}"`,
        '    end',
      ]
    })
    return found.length > 0 ? [`  ${system} do`, ...found, '  end', ''] : []
  })
  if (blocks.length === 0) return {}
  const formula = [
    'class LanternRoom < Formula',
    `  desc "${DESCRIPTION}"`,
    `  homepage "${homepage}"`,
    `  version "${version}"`,
    `  license "${LICENCE}"`,
    '',
    ...blocks,
    '  def install',
    `    bin.install "${NAME}"`,
    '  end',
    '',
    '  test do',
    `    assert_match version.to_s, shell_output("#{bin}/${NAME} --version")`,
    '  end',
    'end',
    '',
  ]
  return { [`homebrew/${NAME}.rb`]: formula.join('\n') }
}
