terraform {
  required_version = ">= 1.5"
}

variable "region" {
  type = string
}

locals {
  name = "harbour-${var.region}"
}

data "aws_ami" "ubuntu" {
  most_recent = true
}

resource "aws_instance" "boat" {
  ami = local.name

  dynamic "volume" {
    for_each = [1]
  }
  user_data = <<-EOT
    echo ahoy
  EOT
}

module "berths" {
  source = "./berths"
}

output "ip" {
  value = aws_instance.boat.public_ip
}
