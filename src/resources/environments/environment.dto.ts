import { ApiSchema } from '@nestjs/swagger';
import { CodeField, FlagField } from '../../common/validation/body-fields';
import { checkFunctionBody } from '../../common/validation/code';
import { ApiNameField, NameField } from '../../common/validation/record-fields';
import { ENVIRONMENT_CODE, IS_DEFAULT } from './environment.record';

@ApiSchema({ description: 'The fields of an environment that may be changed. Absent fields stay unchanged.' })
export class UpdateEnvironment {
  @NameField()
  name?: string;

  @ApiNameField()
  api_name?: string;

  @FlagField({ description: `${IS_DEFAULT} True replaces the current default environment.` })
  is_default?: boolean;

  @CodeField(checkFunctionBody, { description: ENVIRONMENT_CODE })
  code?: string;

  static readonly example: object = { code: "return location.hostname === 'test.example.com';" };
}

@ApiSchema({ description: 'A new environment. Only the name is required.' })
export class CreateEnvironment extends UpdateEnvironment {
  @NameField({ required: true })
  declare name: string;

  static override readonly example = {
    name: 'Test',
    code: "return location.hostname === 'test.example.com';",
  };
}
