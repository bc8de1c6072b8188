import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pythonPackages } from '../process/pythonPackages'
import { freePort, type Settings, startServer } from '../process/serverProcess'
import { makeTempFolder, removeFolders } from '../process/tempFolder'

/** AWS on this machine: the emulator moto, with the AWS CLI beside it, both from PyPI. */
export type Moto = {
  /** What makes programs use it, with the CLI first on the PATH. */
  readonly settings: Settings
  stop(): Promise<void>
}

const PACKAGES = ['moto[server,cloudformation,apigateway,awslambda,s3]==5.2.5', 'awscli==1.46.3']
const { python, missing } = pythonPackages('moto-5.2.5', PACKAGES)

/** Installs moto once. @returns why it cannot be had; undefined when it can */
export const motoMissing = missing

/** What moto lacks: it takes warnings for errors, forgets the outputs of change sets, finds templates by other addresses, and has neither secrets nor aliases in stacks. */
const SERVER = `
import json, sys
from moto.cloudformation import models, parsing, responses
from moto.core.common_models import CloudFormationModel
from moto.awslambda.models import lambda_backends
from moto.secretsmanager.models import secretsmanager_backends

class Secret(CloudFormationModel):
    __module__ = 'moto.cloudformation.models'

    @classmethod
    def create_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name, **others):
        made = cls()
        backend = secretsmanager_backends[account_id][region_name]
        stored = backend.create_secret(resource_name, 'of-the-stack', None, None, [], None, None, [], False)
        made.physical_resource_id = json.loads(stored)['ARN']
        made.type = 'AWS::SecretsManager::Secret'
        return made

    @classmethod
    def delete_from_cloudformation_json(cls, *args, **others):
        pass

class Alias(Secret):
    __module__ = 'moto.cloudformation.models'

    @classmethod
    def create_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name, **others):
        made = cls()
        of = cloudformation_json['Properties']
        alias = of['Name'], of['FunctionName'], of['FunctionVersion'], '', None
        made.physical_resource_id = lambda_backends[account_id][region_name].create_alias(*alias).arn
        made.type = 'AWS::Lambda::Alias'
        return made

# Permissions are for aliases, and made in the order of the template.
def diff(self, template, parameters=None):
    found = compared(self, template, parameters)
    found['Add'].sort(key=lambda name: template['Resources'][name]['Type'] != 'AWS::Lambda::Alias')
    return found

def execute(self, *args, **others):
    executed(self, *args, **others)
    for stack in self.stacks.values():
        stack._parse_template()
        stack.output_map = stack._create_output_map()

parsing.get_model_map().update({'AWS::SecretsManager::Secret': Secret, 'AWS::Lambda::Alias': Alias})
models.validate_template_cfn_lint = lambda template: []
read = responses.get_stack_from_s3_url
responses.get_stack_from_s3_url = lambda template_url, **of: read(template_url.replace('127.0.0.1', 'localhost'), **of)
compared = parsing.ResourceMap.build_resource_diff
parsing.ResourceMap.build_resource_diff = diff
executed = models.CloudFormationBackend.execute_change_set
models.CloudFormationBackend.execute_change_set = execute
from moto.server import main
main(['-p', sys.argv[1]])
`

export async function startMoto(): Promise<Moto> {
  const folder = await makeTempFolder('lantern-moto')
  const script = join(folder, 'server.py')
  await writeFile(script, SERVER)
  const port = await freePort()
  // Not the programs beside it: they name the folder where they were installed first.
  const server = startServer([script, String(port)], { PYTHONDONTWRITEBYTECODE: '1' }, python)
  await server.said(/Running on/)
  const aws = `#!/bin/sh\nexec ${python} -m awscli "$@"\n`
  await writeFile(join(folder, 'aws'), aws, { mode: 0o755 })
  return {
    settings: {
      PATH: `${folder}:${process.env.PATH}`,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'of-a-test',
      AWS_SECRET_ACCESS_KEY: 'of-a-test',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      // Milliseconds between two looks at a stack, which the emulator finishes at once.
      SLS_AWS_MONITORING_FREQUENCY: '300',
    },
    async stop() {
      await server.end()
      await removeFolders(folder)
    },
  }
}
